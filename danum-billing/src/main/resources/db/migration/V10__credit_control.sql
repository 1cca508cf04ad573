-- Credit control (ADR 0041). Reservations are promises, not money: their rows change and go. Money moves in postings only.

-- What an account may spend. This row is the one lock under which the account's credit is promised, and under which its
-- money moves. The balance is kept here, because a quota is granted many times a second; `verify` compares it.
create table credit_account (
  account                    text primary key references account,
  balance_microdenarii       bigint not null,           -- sum of the postings of USER:<account>
  credit_limit_microdenarii  bigint check (credit_limit_microdenarii between 0 and 1000000000000000), -- null: the default
  day_cap_microdenarii       bigint check (day_cap_microdenarii between 0 and 1000000000000000),   -- null: none
  month_cap_microdenarii     bigint check (month_cap_microdenarii between 0 and 1000000000000000),
  rules_version              bigint not null default 1, -- of limit and caps: the entity tag
  state                      text not null default 'SUFFICIENT' check (state in ('SUFFICIENT', 'LOW', 'EXHAUSTED')),
  look_below_microdenarii    bigint not null default 9223372036854775807 -- a balance below this is to be looked at
);
insert into credit_account (account, balance_microdenarii)
  select a.id, coalesce((select sum(amount_microdenarii) from posting where account = 'USER:' || a.id), 0) from account a;

create function account_opens_credit() returns trigger language plpgsql as $$
begin
  insert into credit_account (account, balance_microdenarii) values (new.id, 0);
  return null;
end $$;
create trigger account_opens_credit after insert on account for each row execute function account_opens_credit();

-- Charges less what was given back by the day (UTC) of their posting, for the caps and for how long the credit lasts.
create table spending (
  account           text not null references credit_account,
  day               date not null,
  spent_microdenarii bigint not null,
  primary key (account, day)
);
insert into spending
  select substr(p.account, 6), (t.posted_at at time zone 'UTC')::date, -sum(p.amount_microdenarii)
  from posting p join ledger_transaction t on t.id = p.transaction_id
  where p.account like 'USER:%' and t.kind in ('PROVISIONAL', 'CORRECTION', 'ADJUSTMENT', 'REVERSAL', 'CAP')
    and exists (select from credit_account c where c.account = substr(p.account, 6)) group by 1, 2;

create function posting_moves_credit() returns trigger language plpgsql as $$
begin
  update credit_account c set balance_microdenarii = c.balance_microdenarii + moved.amount
  from (select substr(account, 6) as account, sum(amount_microdenarii) as amount from added
        where account like 'USER:%' group by 1) moved
  where c.account = moved.account;
  insert into spending as s (account, day, spent_microdenarii)
    select c.account, (t.posted_at at time zone 'UTC')::date, -sum(p.amount_microdenarii)
    from added p join ledger_transaction t on t.id = p.transaction_id join credit_account c on c.account = substr(p.account, 6)
    where p.account like 'USER:%' and t.kind in ('PROVISIONAL', 'CORRECTION', 'ADJUSTMENT', 'REVERSAL', 'CAP')
    group by 1, 2 order by 1, 2
  on conflict (account, day) do update set spent_microdenarii = s.spent_microdenarii + excluded.spent_microdenarii;
  return null;
end $$;
create trigger posting_moves_credit after insert on posting referencing new table as added
  for each statement execute function posting_moves_credit();

-- One session that asks for quotas.
create table credit_session (
  snapt_id   text not null,
  session_id text not null,
  account    text not null references credit_account,
  number     bigint not null,             -- of its last request
  heard_at   timestamptz not null,        -- last request or posted report
  ended      boolean not null default false,
  primary key (snapt_id, session_id)
);
create index credit_session_heard on credit_session (heard_at);

-- The use of one application in one class by one session. Three totals: told by the SNAPT, allowed to it, and covered by
-- posted reports. What is allowed and not covered is reserved at the highest price.
create table credit_quota (
  snapt_id            text not null,
  session_id          text not null,
  application         text not null,
  service_class       text not null,
  account             text not null,
  used_bytes          bigint not null,
  used_flow_ms        bigint not null,
  used_interval_ms    bigint not null,
  allowed_bytes       bigint not null,
  allowed_flow_ms     bigint not null,
  allowed_interval_ms bigint not null,
  covered_bytes       bigint not null,
  covered_flow_ms     bigint not null,
  covered_interval_ms bigint not null,
  bytes_per_second    double precision not null,
  flows               bigint not null,
  reserved_microdenarii bigint not null check (reserved_microdenarii >= 0),
  valid_until         timestamptz not null, -- then the unused part of the grant is released
  cut                 boolean not null,     -- it got less than it needs: a change of the credit is pushed
  primary key (snapt_id, session_id, application, service_class),
  foreign key (snapt_id, session_id) references credit_session on delete cascade
);
create index credit_quota_of_account on credit_quota (account);
create index credit_quota_lapse on credit_quota (valid_until) where allowed_bytes > used_bytes or cut;

-- Tells every billing instance, at commit, that an account's credit is to be looked at: more of it, other rules, another
-- state of the account, or less than the account's next notice.
create function credit_changed() returns trigger language plpgsql as $$
begin
  if new.balance_microdenarii > old.balance_microdenarii
     or new.balance_microdenarii < new.look_below_microdenarii
     or new.rules_version <> old.rules_version then
    perform pg_notify('credit', new.account);
  end if;
  return null;
end $$;
create trigger credit_changed after update of balance_microdenarii, rules_version on credit_account
  for each row execute function credit_changed();

create function account_state_changes_credit() returns trigger language plpgsql as $$
begin
  perform pg_notify('credit', new.id);
  return null;
end $$;
create trigger account_state_changes_credit after update of state on account
  for each row when (new.state <> old.state) execute function account_state_changes_credit();

-- A change of an account's credit state: one row per edge. The bridges learn it with the subscriber, the pages by the event
-- stream, others by the webhook.
create table credit_notice (
  id              bigint generated always as identity primary key,
  account         text not null references credit_account,
  state           text not null check (state in ('SUFFICIENT', 'LOW', 'EXHAUSTED')),
  credit_microdenarii bigint not null,      -- balance and credit limit, at the edge
  noticed_at      timestamptz not null,
  delivery        text not null check (delivery in ('NONE', 'DUE', 'DELIVERED', 'GIVEN_UP')), -- by the webhook
  attempts        integer not null default 0,
  next_attempt_at timestamptz not null,
  last_error      text not null default '' check (length(last_error) <= 256)
);
create index credit_notice_due on credit_notice (next_attempt_at) where delivery = 'DUE';
create index credit_notice_of_account on credit_notice (account, id);

create function credit_noticed() returns trigger language plpgsql as $$
begin
  perform pg_notify('credit_notice', new.id || ' ' || new.account);
  perform pg_notify('subscriber', new.account);
  return null;
end $$;
create trigger credit_noticed after insert on credit_notice for each row execute function credit_noticed();
