-- A charge begins when its interval begins. The copy is what lists and sums walk along, latest first: an index cannot span
-- two tables. Each index begins with what people filter by.
alter table charge add column started_at timestamptz;
grant update on charge to current_user;
alter table charge disable trigger charge_rows_stay;
update charge c set started_at = i.started_at from charging_interval i where i.id = c.interval_id;
alter table charge enable trigger charge_rows_stay;
revoke update on charge from current_user;
alter table charge alter column started_at set not null;

create index charge_by_start on charge (account, started_at, id);
create index charge_by_class on charge (account, service_class, started_at, id);
create index charge_by_application on charge (account, application, started_at, id);
create index charging_interval_by_state on charging_interval (account, state, started_at);
create index charging_interval_by_snapt on charging_interval (account, snapt_id, started_at);
drop index charge_by_account;

create index top_up_by_account on top_up (account, transaction_id);

-- Money that an operator gives back: a refund where it names a charge, else a credit. The key is the caller's.
alter table ledger_transaction drop constraint ledger_transaction_kind_check;
alter table ledger_transaction add constraint ledger_transaction_kind_check check
  (kind in ('TOP_UP', 'PROVISIONAL', 'CORRECTION', 'SETTLEMENT', 'ADJUSTMENT', 'REVERSAL', 'CREDIT', 'REFUND'));

create table credit (
  idempotency_key     text primary key check (length(idempotency_key) between 1 and 128),
  account             text not null references account,
  amount_microdenarii bigint not null check (amount_microdenarii > 0),
  reason              text not null check (length(reason) between 1 and 256),
  charge_id           bigint references charge,
  created_by          text not null references account,
  created_at          timestamptz not null,
  transaction_id      bigint not null references ledger_transaction
);
create index credit_by_account on credit (account, transaction_id);
create index credit_by_charge on credit (charge_id) include (amount_microdenarii) where charge_id is not null;

-- Two refunds of one charge wait for each other, whoever writes them: together they never give back more than was paid.
create function refund_is_within_the_charge() returns trigger language plpgsql as $$
declare
  payer text;
  paid bigint;
  refunded numeric;
begin
  if new.charge_id is not null then
    perform pg_advisory_xact_lock(1919247988, hashint8(new.charge_id));
    select account, charge_microdenarii - discount_microdenarii into payer, paid from charge where id = new.charge_id;
    select coalesce(sum(amount_microdenarii), 0) into refunded from credit where charge_id = new.charge_id;
    if payer <> new.account or refunded + new.amount_microdenarii > paid then
      raise exception 'refund of % on charge % of %: % was paid by %, % is refunded already',
        new.amount_microdenarii, new.charge_id, new.account, paid, payer, refunded using errcode = 'check_violation';
    end if;
  end if;
  return new;
end $$;
create trigger credit_is_within_the_charge before insert on credit for each row execute function refund_is_within_the_charge();

create trigger credit_rows_stay before update or delete on credit for each row execute function refuse_change();
create trigger credit_stays before truncate on credit for each statement execute function refuse_change();
revoke update, delete, truncate on credit from public, current_user;
-- The foreign key of a refund locks the charge; see V4.
grant update (started_at) on charge to current_user;
