-- The statement of each account as a chain of receipts (ADR 0055). Rows of the ledger are named by their ids without foreign
-- keys, because their tables may be partitioned; `verify` compares them.

-- The first link of an account's chain, and the account's leaf in the trees of the days: its position never changes.
create table receipt_chain (
  account  text primary key,
  position bigint not null unique check (position >= 0), -- 0, 1, 2 ... without gaps
  salt     bytea not null check (length(salt) = 32)
);

-- A link. The primary key is what makes a fork impossible, whoever seals.
create table receipt_link (
  account              text not null,
  number               bigint not null check (number > 0),
  transaction_id       bigint not null,
  day                  date not null,          -- the open day when it was sealed: the first root that covers it
  balance_microdenarii bigint not null,        -- after it
  report               bytea not null,         -- SHA-256 of the SNAPT's report; empty if none is billed
  charges              bytea not null,         -- hash of the bill; empty without one
  hash                 bytea not null check (length(hash) = 32),
  signature            bytea check (length(signature) = 64), -- null: covered by a later one, or by the root
  primary key (account, number),
  unique (transaction_id, account)
);

-- What the ledger has posted and no receipt names yet. A row is deleted by the transaction that adds its link.
create table receipt_waiting (
  transaction_id bigint not null,
  account        text not null,
  primary key (transaction_id, account)
);

-- The day that links are sealed for. Only the instance that holds the seal's lock changes it.
create table receipt_day (
  only_row boolean primary key default true check (only_row),
  open_day date not null
);

-- The root of a day, as published.
create table receipt_root (
  day          date primary key,
  accounts     bigint not null check (accounts > 0),
  tree         bytea not null check (length(tree) = 32),
  previous     bytea not null,                 -- hash of the root before; empty for the first one
  hash         bytea not null check (length(hash) = 32),
  signature    bytea not null check (length(signature) = 64),
  public_key   bytea not null check (length(public_key) = 32),
  published_at timestamptz not null
);

-- The tree of a day, a row for each level: its hashes, one after the other. Stored as it is, so that a part can be read.
create table receipt_level (
  day    date not null references receipt_root,
  level  smallint not null check (level >= 0),
  hashes bytea not null,
  primary key (day, level)
);
alter table receipt_level alter column hashes set storage external;

-- Keys that billing has signed receipts and roots with.
create table receipt_key (
  public_key    bytea primary key check (length(public_key) = 32),
  first_used_at timestamptz not null
);

-- Every key that an enrolled SNAPT had: its signatures of old reports are checked with them.
create table snapt_key (
  snapt_id      text not null,
  public_key    bytea not null check (length(public_key) = 32),
  first_seen_at timestamptz not null,
  primary key (snapt_id, public_key)
);
insert into snapt_key select id, report_key, enrolled_at from snapt;
create function snapt_key_is_kept() returns trigger language plpgsql as $$
begin
  insert into snapt_key values (new.id, new.report_key, now()) on conflict do nothing;
  return null;
end $$;
create trigger snapt_key_is_kept after insert or update of report_key on snapt for each row execute function snapt_key_is_kept();

-- The statement that posts also writes the rows that wait, so the posting path has no further round trip.
create function posting_needs_receipt() returns trigger language plpgsql as $$
begin
  insert into receipt_waiting (transaction_id, account)
    select distinct a.transaction_id, substr(a.account, 6) from added a join ledger_transaction t on t.id = a.transaction_id
      where a.account like 'USER:%' and t.kind <> 'CARRY_FORWARD' on conflict do nothing; -- which moves no balance (V112)
  return null;
end $$;
create trigger posting_needs_receipt after insert on posting referencing new table as added
  for each statement execute function posting_needs_receipt();
insert into receipt_waiting (transaction_id, account)
  select distinct transaction_id, substr(account, 6) from posting where account like 'USER:%';

do $$
declare
  kept text;
begin
  foreach kept in array array['receipt_chain', 'receipt_link', 'receipt_root', 'receipt_level', 'receipt_key', 'snapt_key'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()', kept || '_rows_stay', kept);
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()', kept || '_stays', kept);
    execute format('revoke update, delete, truncate on %I from public, current_user', kept);
  end loop;
end $$;
-- The foreign key of a level locks the root; see V4.
grant update (published_at) on receipt_root to current_user;
