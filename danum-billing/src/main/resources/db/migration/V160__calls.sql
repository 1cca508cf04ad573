-- Calls of other nodes, whose seconds they count and ask for by Diameter (ADR 0069). What a call reserves is a row of credit_quota as
-- that of any session; here is what it was charged.
create table call_session (
  id             bigint generated always as identity primary key,
  origin_host    text not null check (length(origin_host) between 1 and 255),
  session_id     text not null check (length(session_id) between 1 and 255),
  account        text not null references account,
  tariff_version integer not null references tariff, -- in force at its first request: the price of all its seconds
  microdenarii_per_second bigint not null check (microdenarii_per_second >= 0),
  started_at     timestamptz not null,
  valid_until    timestamptz not null,               -- of the last grant
  ended_at       timestamptz,
  ended_by       text check (ended_by in ('TERMINATION', 'REFUSAL', 'LAPSE')),
  unique (origin_host, session_id),
  check ((ended_at is null) = (ended_by is null))
);
create index call_session_by_account on call_session (account, id);
create index call_session_lapse on call_session (valid_until) where ended_at is null;

-- One row for each request of a call: the seconds that it told, what they cost, and the answer, which a copy of the request gets again.
create table call_request (
  call_id             bigint not null references call_session,
  number              bigint not null check (number >= 0), -- CC-Request-Number
  received_at         timestamptz not null,
  seconds             bigint not null check (seconds >= 0),
  amount_microdenarii bigint not null check (amount_microdenarii >= 0),
  charge_id           bigint, -- what wallets paid it as; a number of the charges' sequence. No foreign keys: months are dropped
  transaction_id      bigint,
  outcome             text not null,
  granted_seconds     bigint not null check (granted_seconds >= 0),
  last_grant          boolean not null,
  primary key (call_id, number),
  check (amount_microdenarii = 0 or charge_id is not null and transaction_id is not null)
);
create index call_request_by_transaction on call_request (transaction_id) where transaction_id is not null;
create index call_request_by_charge on call_request (charge_id) where charge_id is not null;
select keep_rows('call_request'::regclass);
grant update (received_at) on call_request to current_user; -- deleting a call locks its requests; see V4

-- As in V152: the list of kinds with one more.
do $$
declare
  kinds text;
begin
  select pg_get_constraintdef(oid) into kinds from pg_constraint
    where conrelid = 'ledger_transaction'::regclass and conname = 'ledger_transaction_kind_check';
  alter table ledger_transaction drop constraint ledger_transaction_kind_check;
  execute 'alter table ledger_transaction add constraint ledger_transaction_kind_check '
    || replace(kinds, 'ARRAY[', 'ARRAY[''CALL''::text, ');
end $$;

-- As in V80, with calls: they are spending of the day on which they are posted.
create or replace function posting_moves_credit() returns trigger language plpgsql as $$
begin
  update credit_account c set balance_microdenarii = c.balance_microdenarii + moved.amount
  from (select substr(account, 6) as account, sum(amount_microdenarii) as amount from added
        where account like 'USER:%' group by 1) moved
  where c.account = moved.account;
  insert into spending as s (account, day, spent_microdenarii)
    select c.account, (coalesce(i.received_at, t.posted_at) at time zone 'UTC')::date, -sum(p.amount_microdenarii)
    from added p join ledger_transaction t on t.id = p.transaction_id join credit_account c on c.account = substr(p.account, 6)
    left join charging_interval i on i.id = t.interval_id
    where p.account like 'USER:%' and t.kind in ('PROVISIONAL', 'CORRECTION', 'ADJUSTMENT', 'REVERSAL', 'RERATING', 'CALL')
    group by 1, 2 order by 1, 2
  on conflict (account, day) do update set spent_microdenarii = s.spent_microdenarii + excluded.spent_microdenarii;
  return null;
end $$;

-- As in V152, with the requests of calls. A call without requests stays known for a year, so that none of its copies opens it again.
create or replace function forget_sealed() returns void language plpgsql as $$
begin
  insert into lifted values (pg_current_xact_id());
  grant delete on ledger_identity, rerating_item, relayed_bytes, call_request to current_user;
  delete from ledger_identity where transaction_id < kept_from();
  delete from rerating_item where interval_id < kept_from();
  delete from relayed_bytes where interval_id < kept_from();
  delete from call_request where received_at < month_start(sealed_month());
  revoke delete on ledger_identity, rerating_item, relayed_bytes, call_request from current_user;
  delete from cdr_interval where interval_id < kept_from();
  delete from call_session c where c.ended_at < month_start(sealed_month()) - interval '1 year'
    and not exists (select from call_request r where r.call_id = c.id);
  delete from lifted;
end $$;
