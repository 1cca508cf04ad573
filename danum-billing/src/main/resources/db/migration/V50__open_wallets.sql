-- What is left of each wallet that has not expired. It is derived: these triggers are its only writers, and the
-- verification compares it with the draws. A decision about credit reads it, whatever number of charges drew before.
create table open_wallet (
  wallet_id         bigint primary key references wallet,
  account           text not null,
  expires_at        timestamptz not null,
  rest_microdenarii bigint not null check (rest_microdenarii >= 0)
);
create index open_wallet_by_account on open_wallet (account, expires_at);
create index open_wallet_by_expiry on open_wallet (expires_at);

insert into open_wallet
  select w.id, w.account, w.expires_at, w.amount_microdenarii
    - coalesce((select sum(d.amount_microdenarii) from wallet_draw d where d.wallet_id = w.id), 0)
  from wallet w where not exists (select from wallet_expiry e where e.wallet_id = w.id);

create function wallet_opens() returns trigger language plpgsql as $$
begin
  insert into open_wallet values (new.id, new.account, new.expires_at, new.amount_microdenarii);
  return null;
end $$;
create trigger wallet_opens after insert on wallet for each row execute function wallet_opens();

create function draws_lower_wallets() returns trigger language plpgsql as $$
begin
  update open_wallet o set rest_microdenarii = o.rest_microdenarii - drawn.amount
  from (select wallet_id, sum(amount_microdenarii) as amount from added group by 1) drawn
  where o.wallet_id = drawn.wallet_id;
  return null;
end $$;
create trigger draws_lower_wallets after insert on wallet_draw
  referencing new table as added for each statement execute function draws_lower_wallets();

create function wallet_ends() returns trigger language plpgsql as $$
begin
  delete from open_wallet where wallet_id = new.wallet_id;
  return null;
end $$;
create trigger wallet_ends after insert on wallet_expiry for each row execute function wallet_ends();
