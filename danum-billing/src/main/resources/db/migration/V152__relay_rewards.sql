-- Relays of an interval by its report, and what they earn (ADR 0068). Only accounts that may earn have a row: active ones with a
-- credit, and not the payer.
create table relayed_bytes (
  interval_id bigint not null, -- no foreign key: months are dropped
  account     text not null references account,
  bytes       bigint not null check (bytes > 0), -- wire bytes of both directions that came or went by this relay's session
  primary key (interval_id, account)
);
create index relayed_bytes_by_account on relayed_bytes (account);
select keep_rows('relayed_bytes'::regclass);

-- Intervals whose relays have not got what the bill that counts gives them: from the report on until they are paid, and after a
-- re-rating.
create table relay_reward_due (
  interval_id bigint primary key
);
create function relay_reward_is_due() returns trigger language plpgsql as $$
begin
  if exists (select from relayed_bytes r where r.interval_id = new.interval_id) then
    -- Locks the row until this bill is committed, so that nobody pays by the one before and takes the row away.
    insert into relay_reward_due values (new.interval_id) on conflict (interval_id) do update set interval_id = excluded.interval_id;
  end if;
  return null;
end $$;
create trigger relay_reward_after_rerating after insert or update on newest_revision for each row
  execute function relay_reward_is_due();

-- As in V112: the list of kinds with one more.
do $$
declare
  kinds text;
begin
  select pg_get_constraintdef(oid) into kinds from pg_constraint
    where conrelid = 'ledger_transaction'::regclass and conname = 'ledger_transaction_kind_check';
  alter table ledger_transaction drop constraint ledger_transaction_kind_check;
  execute 'alter table ledger_transaction add constraint ledger_transaction_kind_check '
    || replace(kinds, 'ARRAY[', 'ARRAY[''RELAY''::text, ');
end $$;

create or replace function forget_sealed() returns void language plpgsql as $$
begin
  insert into lifted values (pg_current_xact_id());
  grant delete on ledger_identity, rerating_item, relayed_bytes to current_user;
  delete from ledger_identity where transaction_id < kept_from();
  delete from rerating_item where interval_id < kept_from();
  delete from relayed_bytes where interval_id < kept_from();
  revoke delete on ledger_identity, rerating_item, relayed_bytes from current_user;
  delete from cdr_interval where interval_id < kept_from();
  delete from lifted;
end $$;
