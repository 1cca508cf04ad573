-- Accounting records for charging data functions (Rf, ADR 0069). The outbox has a row for each posted report of a SNAPT, in the same
-- transaction; without records no row is written.
create table accounting_publication (
  enabled boolean primary key check (enabled)
);
create table accounting_outbox (
  id          bigint generated always as identity primary key,
  interval_id bigint not null -- no foreign key: months are dropped
);

-- Accounting sessions that have begun and not ended: one for each session at a SNAPT. It has its Session-Id before anything is sent, so
-- that a record which is built twice is the same record.
create table accounting_session (
  snapt_id         text not null,
  session_id       text not null,
  diameter_session text not null unique,
  account          text not null references account,
  icid             text not null,
  next_number      bigint not null default 0, -- Accounting-Record-Number
  next_sequence    bigint not null default 0, -- Local-Sequence-Number
  heard_at         timestamptz not null,      -- end of the last interval
  primary key (snapt_id, session_id)
);
create index accounting_session_heard on accounting_session (heard_at);

-- A device's own report is not the SNAPT's, which may still come in its place.
create function report_is_recorded() returns trigger language plpgsql as $$
begin
  if exists (select from accounting_publication) then
    insert into accounting_outbox (interval_id)
      select a.interval_id from added a join charging_interval i on i.id = a.interval_id
      where i.session_id not like 'device:%' order by a.interval_id;
  end if;
  return null;
end $$;
create trigger report_is_recorded after insert on snapt_report referencing new table as added
  for each statement execute function report_is_recorded();

-- As in V112, with the outbox of records. Why the months before a cut cannot be dropped now; no row if they can.
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
      left join cdr_interval c on c.interval_id = i.id left join cdr_file f on f.sequence = c.file_sequence
      where i.id < b.id and f.written_at is null)
  ) r
$$;
