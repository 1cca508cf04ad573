-- Months that are over are dropped after their export, if the configuration says so (ADR 0059). What the postings of a dropped month
-- sum to is carried forward: each account gets one transaction, against CARRIED, whose postings sum to 0 after each cut. So a balance
-- stays the sum of the postings. The kept balance of a user does not move.
alter table ledger_account drop constraint ledger_account_kind_check;
alter table ledger_account add constraint ledger_account_kind_check check
  (kind in ('USER', 'CLEARING', 'PROVIDER', 'OPERATOR', 'ISSUANCE', 'VOUCHERS', 'CARRIED'));
insert into ledger_account (name, kind, created_at) values ('CARRIED', 'CARRIED', now());
do $$
declare
  kinds text;
begin
  select pg_get_constraintdef(oid) into kinds from pg_constraint
    where conrelid = 'ledger_transaction'::regclass and conname = 'ledger_transaction_kind_check';
  alter table ledger_transaction drop constraint ledger_transaction_kind_check;
  execute 'alter table ledger_transaction add constraint ledger_transaction_kind_check '
    || replace(kinds, 'ARRAY[', 'ARRAY[''CARRY_FORWARD''::text, ');
end $$;

-- A cut: all months before it are gone.
create table sealed (
  cut           bigint primary key check (cut > 0), -- number of the first month that was kept
  sealed_at     timestamptz not null,
  spending_from date not null,                      -- from this day on, spending is that of kept intervals only
  intervals     bigint not null,
  transactions  bigint not null
);
create function sealed_month() returns bigint language sql stable as 'select coalesce(max(cut), 0) from sealed';
-- The first id that was kept: rows that name a smaller one name a row that is gone.
create function kept_from() returns bigint language sql stable as 'select coalesce(max(cut), 0) << 41 from sealed';

-- What is kept of a report whose month is gone, so that a copy is still known and another report with its key is a conflict.
create table sealed_report (
  interval_id bigint primary key,
  digest      bytea not null check (length(digest) = 32),
  state       text not null
);

-- Rows that stay are removed by the owner's role only, while its transaction has a row here. It never commits one.
create table lifted (
  transaction xid8 primary key
);
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if exists (select from lifted where transaction = pg_current_xact_id()) then
    return coalesce(new, old);
  end if;
  raise exception '% on % is refused: posted rows are only ever added, corrections are new transactions', tg_op, tg_table_name
    using errcode = 'insufficient_privilege';
end $$;
do $$
declare
  kept text;
begin
  foreach kept in array array['sealed', 'sealed_report'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()', kept || '_rows_stay', kept);
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()', kept || '_stays', kept);
    execute format('revoke update, delete, truncate on %I from public, current_user', kept);
  end loop;
end $$;

-- Why the months before a cut cannot be dropped now; no row if they can.
create function not_sealable(until bigint) returns table (reason text) language sql stable as $$
  select r.reason from (values (until << 41, month_start(until))) b(id, began), lateral (
    select 'no_partitions' as reason where not exists (select from billing_month where number = until)
    union all select 'not_final' where exists (select from charging_interval where id < b.id and state in ('PROVISIONAL', 'CORRECTED', 'FINAL_PROVISIONAL'))
    union all select 'month_0'
      where exists (select from charging_interval_before where started_at >= b.began)
        or exists (select from ledger_transaction_before where posted_at >= b.began and interval_id is null)
    union all select 'held' where exists (select from held_report where state = 'HELD' and started_at < b.began)
    union all select 'caps'
      where exists (select from open_day where day < (b.began at time zone 'UTC')::date)
    union all select 'rerating' where exists (select from rerating_item k join rerating r on r.number = k.rerating
      where k.outcome = 'WAITING' and not r.stopped and k.interval_id < b.id)
    union all select 'unpublished' where exists (select from charge_outbox where charge_id < b.id)
    union all select 'no_receipt' where exists (select from receipt_waiting where transaction_id < b.id)
    union all select 'no_export' where not (select enabled from cdr_export)
    union all select 'not_exported' where exists (select from charging_interval i
      left join cdr_interval c on c.interval_id = i.id left join cdr_file f on f.sequence = c.file_sequence
      where i.id < b.id and f.written_at is null)
  ) r
$$;

-- Lets final intervals be exported that became final before there was an export.
create function export_missing(until bigint, at_once integer) returns bigint language sql as $$
  with missing as (
    insert into cdr_interval (interval_id, due_at)
      select i.id, now() from charging_interval i
      where i.id < until << 41 and i.state in ('FINAL', 'ADJUSTED', 'VOID')
        and not exists (select from cdr_interval c where c.interval_id = i.id) order by i.id limit at_once
      on conflict do nothing returning 1)
  select count(*) from missing
$$;

-- Drops partitions. The owner's role calls it.
create function drop_partitions(until bigint) returns void language plpgsql as $$
declare
  part record;
begin
  for part in select p.name, p.name || '_' || month_name(m.number) as partition
      from partitioned_tables() p, billing_month m where m.number < until order by p.place desc, m.number loop
    execute format('alter table %I detach partition %I', part.name, part.partition);
    execute format('drop table %I', part.partition);
  end loop;
end $$;

-- Drops the months before a cut, in one transaction. The owner's role calls it. Billing waits meanwhile.
create function seal_months(until bigint, adjustment interval, at timestamptz) returns boolean language plpgsql as $$
declare
  below bigint := until << 41;
begin
  perform pg_advisory_xact_lock(1919247990);
  if until <= sealed_month() then
    return false;
  end if;
  -- Takes locks; see make_month.
  alter table charging_interval enable trigger charging_interval_rows_stay;
  alter table ledger_transaction enable trigger ledger_transaction_rows_stay;
  if exists (select from not_sealable(until)) then
    return false;
  end if;

  insert into sealed select until, at, ((month_start(until) + adjustment) at time zone 'UTC')::date + 1,
    (select count(*) from charging_interval where id < below), (select count(*) from ledger_transaction where id < below);
  insert into sealed_report select i.id, r.digest, i.state
    from charging_interval i join snapt_report r on r.interval_id = i.id where i.id < below;

  create temporary table carried on commit drop as
    select account, sum(amount_microdenarii)::bigint as amount, id_in_month(until, 'ledger_transaction_id') as id
    from posting where transaction_id < below and account <> 'CARRIED' group by account having sum(amount_microdenarii) <> 0;
  alter table posting disable trigger posting_moves_credit; -- the kept balances are right already
  insert into ledger_transaction (id, kind, identity, postings, interval_id, posted_at, note)
    select id, 'CARRY_FORWARD', 'carry:' || until || ':' || id, 2, null, month_start(until) - interval '1 microsecond',
      'postings before ' || to_char(month_start(until) at time zone 'UTC', 'YYYY-MM') from carried;
  insert into posting select id, 1, account, amount from carried union all select id, 2, 'CARRIED', -amount from carried;
  set constraints all immediate;
  alter table posting enable trigger posting_moves_credit;

  insert into lifted values (pg_current_xact_id());
  grant delete on report_revision, charge_revision, newest_revision to current_user;
  delete from newest_revision where interval_id < below;
  delete from charge_revision where charge_id < below;
  delete from report_revision where interval_id < below;
  revoke delete on report_revision, charge_revision, newest_revision from current_user;
  delete from lifted;

  perform drop_partitions(until);
  delete from billing_month where number < until;
  perform make_month(0);
  return true;
end $$;

-- Removes what is left of sealed months in tables that are not partitioned. Billing goes on meanwhile.
create function forget_sealed() returns void language plpgsql as $$
begin
  insert into lifted values (pg_current_xact_id());
  grant delete on ledger_identity, rerating_item to current_user;
  delete from ledger_identity where transaction_id < kept_from();
  delete from rerating_item where interval_id < kept_from();
  revoke delete on ledger_identity, rerating_item from current_user;
  delete from cdr_interval where interval_id < kept_from();
  delete from lifted;
end $$;

-- Deletes the personal data of the months before one. The owner's role calls it. A report that comes later is kept until the next call.
create function drop_personal_data(until bigint) returns boolean language plpgsql as $$
declare
  emptied record;
begin
  perform pg_advisory_xact_lock(1919247990);
  if exists (select from charging_interval_before where started_at >= month_start(until)) then
    return false; -- month 0 is not over yet
  end if;
  for emptied in select p.name || '_' || month_name(m.number) as name from unnest(array['flow_peer', 'report_original']) p(name), billing_month m
      where m.number < until loop
    execute format('grant truncate on %I to current_user', emptied.name); -- triggers that refuse it are on the whole table
    execute format('truncate %I', emptied.name);
    execute format('revoke truncate on %I from current_user', emptied.name);
  end loop;
  -- The digest of a discarded report is still refused, and a posted one is still known.
  update held_report set envelope = '' where state <> 'HELD' and decided_at < month_start(until) and envelope <> '';
  delete from refused_report where received_at < month_start(until);
  return true;
end $$;

create or replace function held_report_is_decided_once() returns trigger language plpgsql as $$
begin
  if old.state <> 'HELD' and not (new.envelope = '' and to_jsonb(new) - 'envelope' = to_jsonb(old) - 'envelope') then
    raise exception 'held report % is %, which stays', old.id, old.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
