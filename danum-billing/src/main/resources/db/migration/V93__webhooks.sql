-- Webhooks (ADR 0057). An event is stored in the transaction that makes it true, for each endpoint that wants it; a delivery
-- is claimed, sent, and its outcome logged. What an endpoint has not got survives every restart.
create table webhook_endpoint (
  id             bigint generated always as identity primary key,
  account        text not null references account,
  all_accounts   boolean not null, -- the events of every account, and those of the operator; only while it is an operator's
  url            text not null check (length(url) <= 1000),
  description    text not null check (length(description) <= 128),
  events         text[] not null check (cardinality(events) between 1 and 32),
  key_id         text not null,
  secret_sealed  bytea not null,   -- by the credential key, as SIP credentials
  former_key_id  text,
  former_secret_sealed bytea,      -- signs too, until former_until
  former_until   timestamptz,
  state          text not null default 'ACTIVE' check (state in ('ACTIVE', 'DISABLED', 'DELETED')),
  failures       integer not null default 0, -- deliveries that were given up, since the last one that succeeded
  version        bigint not null default 1,
  created_at     timestamptz not null
);
create index webhook_endpoint_of_account on webhook_endpoint (account, id);
create trigger webhook_endpoint_audited after insert or delete or update of version on webhook_endpoint for each row
  when (current_setting('viaduct.audit_entry', true) <> '') execute function audit_row();

create table webhook_event (
  id         bigint generated always as identity primary key,
  kind       text not null,
  account    text,               -- whose event it is; null for one of the operator
  body       jsonb not null,
  created_at timestamptz not null
);
create index webhook_event_by_time on webhook_event (created_at);

create table webhook_delivery (
  id              bigint generated always as identity primary key,
  endpoint_id     bigint not null references webhook_endpoint,
  event_id        bigint not null references webhook_event on delete cascade,
  state           text not null default 'DUE' check (state in ('DUE', 'DELIVERED', 'DEAD')),
  attempts        integer not null default 0,
  next_attempt_at timestamptz not null,
  last_status     integer,
  last_error      text not null default '' check (length(last_error) <= 256),
  last_attempt_at timestamptz,
  unique (endpoint_id, event_id)
);
create index webhook_delivery_due on webhook_delivery (next_attempt_at) where state = 'DUE';
create index webhook_delivery_of_endpoint on webhook_delivery (endpoint_id, id);

-- Stores an event for the endpoints that want it; without one it is not stored.
create function webhook_emit(event_kind text, of_account text, content jsonb, at timestamptz) returns void language sql as $$
  with wanted as (
    select e.id from webhook_endpoint e join account a on a.id = e.account
    where e.state = 'ACTIVE' and event_kind = any (e.events) and a.state = 'active'
      and (e.account = of_account or e.all_accounts and a.role = 'operator')
  ), event as (
    insert into webhook_event (kind, account, body, created_at)
      select event_kind, of_account, content, at where exists (select from wanted) returning id
  )
  insert into webhook_delivery (endpoint_id, event_id, next_attempt_at)
    select wanted.id, event.id, at from wanted, event
$$;

create function webhook_on_notice() returns trigger language plpgsql as $$
begin
  perform webhook_emit(case new.state when 'LOW' then 'balance.low' when 'EXHAUSTED' then 'balance.empty'
      when 'SUFFICIENT' then 'balance.sufficient' else 'cap.reached' end, new.account,
    jsonb_build_object('state', new.state, 'creditMicrodenarii', new.credit_microdenarii::text), new.noticed_at);
  return null;
end $$;
create trigger webhook_on_notice after insert on credit_notice for each row execute function webhook_on_notice();

create function webhook_on_top_up() returns trigger language plpgsql as $$
begin
  perform webhook_emit('top-up.posted', new.account, jsonb_build_object('transaction', new.transaction_id::text,
    'amountMicrodenarii', new.amount_microdenarii::text, 'reference', new.reference), new.created_at);
  return null;
end $$;
create trigger webhook_on_top_up after insert on top_up for each row execute function webhook_on_top_up();

create function webhook_on_credit() returns trigger language plpgsql as $$
begin
  perform webhook_emit('credit.given', new.account, jsonb_build_object('transaction', new.transaction_id::text,
    'amountMicrodenarii', new.amount_microdenarii::text, 'reason', new.reason, 'charge', new.charge_id::text), new.created_at);
  return null;
end $$;
create trigger webhook_on_credit after insert on credit for each row execute function webhook_on_credit();

-- One event for the charges of an interval. Reports come by the thousand, so nothing is done while no endpoint wants them.
create function webhook_on_report() returns trigger language plpgsql as $$
begin
  if exists (select from webhook_endpoint where state = 'ACTIVE' and 'charge.posted' = any (events)) then
    perform webhook_emit('charge.posted', i.account, jsonb_build_object('interval', i.id::text, 'snapt', i.snapt_id,
        'startedAt', i.started_at, 'endedAt', i.ended_at, 'preBytes', r.pre_bytes::text,
        'chargeMicrodenarii', r.charge_microdenarii::text, 'discountMicrodenarii', r.discount_microdenarii::text,
        'state', lower(i.state)), i.received_at)
      from added r join charging_interval i on i.id = r.interval_id;
  end if;
  return null;
end $$;
create trigger webhook_on_report after insert on snapt_report referencing new table as added
  for each statement execute function webhook_on_report();

-- Events of the operator.
create function webhook_on_refusal() returns trigger language plpgsql as $$
begin
  if new.reason = 'COUNTS_DIFFER' then
    perform webhook_emit('report.discrepancy', null, jsonb_build_object('report', encode(new.digest, 'hex'),
      'deviceUpBytes', new.up_bytes::text, 'deviceDownBytes', new.down_bytes::text), new.received_at);
  end if;
  return null;
end $$;
create trigger webhook_on_refusal after insert on receipt_refusal for each row execute function webhook_on_refusal();

create function webhook_on_held() returns trigger language plpgsql as $$
begin
  perform webhook_emit('report.held', null, jsonb_build_object('held', new.id::text, 'snapt', new.snapt_id,
    'account', new.account, 'reason', new.reason, 'chargeMicrodenarii', new.charge_microdenarii::text), new.received_at);
  return null;
end $$;
create trigger webhook_on_held after insert on held_report for each row execute function webhook_on_held();
