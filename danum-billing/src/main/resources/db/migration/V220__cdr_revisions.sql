-- A bill that a re-rating makes again is exported, too (ADR 0058): an interval waits for a file once with the bill that counts when
-- it becomes final, and once with each later one.
alter table cdr_interval add column revision integer not null default 0 check (revision >= 0);
alter table cdr_interval alter column revision drop default;
alter table cdr_interval drop constraint cdr_interval_interval_id_key;
alter table cdr_interval add unique (interval_id, revision);

-- The number of fields that the records of a file have, so that an older file is made again octet by octet. A migration that adds a
-- field changes the default.
alter table cdr_file add column fields smallint not null default 17;
alter table cdr_file alter column fields set default 18;

create or replace function cdr_interval_is_final() returns trigger language plpgsql as $$
begin
  if (select enabled from cdr_export) then
    insert into cdr_interval (interval_id, revision, due_at)
      values (new.id, coalesce((select revision from newest_revision where interval_id = new.id), 0), clock_timestamp())
      on conflict do nothing;
  end if;
  return null;
end $$;

-- The transaction that makes a bill again has locked its interval, so the state does not change meanwhile.
create function cdr_bill_is_made_again() returns trigger language plpgsql as $$
begin
  if (select enabled from cdr_export) then
    insert into cdr_interval (interval_id, revision, due_at)
      select a.interval_id, a.revision, clock_timestamp() from added a join charging_interval i on i.id = a.interval_id
      where i.state in ('FINAL', 'ADJUSTED') order by a.interval_id
      on conflict do nothing;
  end if;
  return null;
end $$;
create trigger cdr_bill_is_made_again after insert on report_revision referencing new table as added
  for each statement execute function cdr_bill_is_made_again();

-- Bills that were made again before this version, of intervals that are in a file or wait for one.
insert into cdr_interval (interval_id, revision, due_at)
  select distinct n.interval_id, n.revision, now() from newest_revision n join cdr_interval c on c.interval_id = n.interval_id
  where (select enabled from cdr_export);

-- As in V161, but the bill that counts must be in a file, too. Why the months before a cut cannot be dropped now; no row if they can.
create or replace function not_sealable(until bigint) returns table (reason text) language sql stable as $$
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
    union all select 'unpublished' where exists (select from charge_outbox where charge_id < b.id) or exists (select from accounting_outbox where interval_id < b.id)
    union all select 'no_receipt' where exists (select from receipt_waiting where transaction_id < b.id)
    union all select 'no_export' where not (select enabled from cdr_export)
    union all select 'not_exported' where exists (select from charging_interval i
        left join newest_revision n on n.interval_id = i.id
        left join cdr_interval c on (c.interval_id, c.revision) = (i.id, coalesce(n.revision, 0))
        left join cdr_file f on f.sequence = c.file_sequence
        where i.id < b.id and f.written_at is null)
      or exists (select from cdr_interval c left join cdr_file f on f.sequence = c.file_sequence
        where c.interval_id < b.id and f.written_at is null)
  ) r
$$;

-- As in V112. Lets bills of final intervals be exported that had no export when they were made.
create or replace function export_missing(until bigint, at_once integer) returns bigint language sql as $$
  with missing as (
    insert into cdr_interval (interval_id, revision, due_at)
      select i.id, coalesce(n.revision, 0), now() from charging_interval i left join newest_revision n on n.interval_id = i.id
      where i.id < until << 41 and i.state in ('FINAL', 'ADJUSTED', 'VOID')
        and not exists (select from cdr_interval c where (c.interval_id, c.revision) = (i.id, coalesce(n.revision, 0)))
      order by i.id limit at_once
      on conflict do nothing returning 1)
  select count(*) from missing
$$;
