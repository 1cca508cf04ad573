-- Files of charging data records (ADR 0058). An interval is exported once, when its state is final. It waits here until it has
-- the number of its file; a file that has its number is written from its rows again and again until it is on disk.
create table cdr_export (
  only_row boolean primary key default true check (only_row),
  enabled  boolean not null
);
insert into cdr_export (enabled) values (false);

create table cdr_file (
  sequence   bigint primary key check (sequence > 0), -- without gaps
  name       text not null unique,
  format     text not null check (format in ('3GPP', 'CSV', 'JSONL')),
  cause      smallint not null,  -- TS 32.297: 1 size, 2 time, 3 number of records
  records    integer not null check (records >= 0),
  opened_at  timestamptz not null,
  closed_at  timestamptz not null,
  bytes      bigint,
  sha256     bytea check (length(sha256) = 32),
  written_at timestamptz         -- null until it is on disk under its name
);
create index cdr_file_unwritten on cdr_file (sequence) where written_at is null;

create table cdr_interval (
  id            bigint generated always as identity primary key,
  interval_id   bigint not null unique,
  due_at        timestamptz not null,
  file_sequence bigint references cdr_file
);
create index cdr_interval_waiting on cdr_interval (id) where file_sequence is null;
create index cdr_interval_of_file on cdr_interval (file_sequence, id);

create function cdr_interval_is_final() returns trigger language plpgsql as $$
begin
  if (select enabled from cdr_export) then
    insert into cdr_interval (interval_id, due_at) values (new.id, clock_timestamp()) on conflict do nothing;
  end if;
  return null;
end $$;
create trigger cdr_interval_is_final after insert or update of state on charging_interval for each row
  when (new.state in ('FINAL', 'ADJUSTED', 'VOID')) execute function cdr_interval_is_final();
