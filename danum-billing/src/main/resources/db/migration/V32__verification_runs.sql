-- Verifications of the ledger, for the operator: those that were asked for, and those that billing makes by itself.
create table verification_run (
  id           bigint generated always as identity primary key,
  requested_by text,                    -- null: by itself
  started_at   timestamptz not null,
  done         integer not null default 0,
  total        integer not null,
  finished_at  timestamptz,
  failure      text not null default '',
  result       json
);
create index verification_run_open on verification_run (started_at) where finished_at is null;
