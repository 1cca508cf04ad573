-- Answers to requests with an idempotency key that decide something, so that a repeated request gets the same answer. What
-- posts an amount (top_up, credit, wallet) keeps its key itself.
create table answered_request (
  idempotency_key text primary key check (length(idempotency_key) between 1 and 128),
  digest          bytea not null check (length(digest) = 32), -- SHA-256 of caller, method, path and body
  answer          jsonb not null,
  answered_at     timestamptz not null
);

-- The version of an account, for entity tags: each change of its row is a new one.
alter table account add column version bigint not null default 1;
create function account_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end $$;
create trigger account_version before update on account
  for each row when (old.* is distinct from new.*) execute function account_version();
