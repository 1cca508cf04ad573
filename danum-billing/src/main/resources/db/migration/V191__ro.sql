-- Credit of accounts at the operator's online charging system (Diameter Ro as a client, ADR 0075). The credit limit of the account is
-- what that system has granted; the balance is what has been charged since. A request is stored before it is sent, so that a copy of it
-- after a crash is the same one.
create table ro_account (
  account              text primary key references account,
  base_microdenarii    bigint not null,              -- balance when the charging system was first asked; 0 if money was there, which pays first
  told_microdenarii    bigint not null default 0,    -- use that it knows
  granted_microdenarii bigint not null default 0 check (granted_microdenarii >= 0), -- beyond that use
  session_id           text unique,                  -- Session-Id; null without a session
  next_number          bigint not null default 0,    -- CC-Request-Number
  last_grant           boolean not null default false,
  valid_until          timestamptz not null,         -- the grant must be renewed then
  pending              text check (pending in ('INITIAL', 'UPDATE', 'TERMINATION')), -- request without an answer
  pending_used_microdenarii bigint not null default 0 check (pending_used_microdenarii >= 0),
  pending_wanted_microdenarii bigint not null default 0 check (pending_wanted_microdenarii >= 0),
  asked_until          timestamptz not null,         -- an instance waits for the answer until then
  check (session_id is not null or pending is null)
);
insert into personal_rows values ('ro_account'); -- deleted when the account is erased
