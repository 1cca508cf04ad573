-- A device signs what it is charged for (ADR 0024). An interval that is not signed is PROVISIONAL: its charge is posted, it is
-- never settled. The device's receipt, or an operator, moves it on; an operator may also void it.
alter table charging_interval drop constraint charging_interval_state_check;
alter table charging_interval add constraint charging_interval_state_check
  check (state in ('PROVISIONAL', 'CORRECTED', 'FINAL', 'ADJUSTED', 'VOID'));
create or replace function charging_interval_moves_forward() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'state' <> to_jsonb(old) - 'state' or (old.state, new.state) not in
      (('PROVISIONAL', 'CORRECTED'), ('PROVISIONAL', 'ADJUSTED'), ('PROVISIONAL', 'VOID'), ('CORRECTED', 'FINAL')) then
    raise exception 'charging interval % must not go from % to %', old.id, old.state, new.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
drop index charging_interval_due;
create index charging_interval_due on charging_interval (grace_ends_at) where state = 'CORRECTED';
create index charging_interval_unsigned on charging_interval (account, ended_at) where state = 'PROVISIONAL';
create index charging_interval_by_end on charging_interval (account, ended_at);

alter table ledger_transaction drop constraint ledger_transaction_kind_check;
alter table ledger_transaction add constraint ledger_transaction_kind_check
  check (kind in ('TOP_UP', 'PROVISIONAL', 'CORRECTION', 'SETTLEMENT', 'ADJUSTMENT', 'REVERSAL'));

-- The SignedSessionToken of the report; null for reports from before receipts.
alter table snapt_report add column token bytea;

-- Why an interval counts as signed, or is void: the device's receipt, or the decision of an operator.
create table interval_decision (
  interval_id bigint primary key references charging_interval,
  kind        text not null check (kind in ('RECEIPT', 'RELEASED', 'ACCEPTED', 'VOIDED')),
  receipt     bytea check ((kind = 'RECEIPT') = (receipt is not null)),
  decided_by  text check ((kind = 'RECEIPT') = (decided_by is null)),
  reason      text not null check (length(reason) <= 256),
  decided_at  timestamptz not null
);

-- Why a device did not sign, in its own words; for the operator who decides. By the digest of the report.
create table receipt_refusal (
  digest      bytea primary key check (length(digest) = 32),
  reason      text not null,
  up_bytes    bigint not null,
  down_bytes  bigint not null,
  received_at timestamptz not null
);

-- Keys that bridges have signed session tokens with, as they came with reports: an old report's token is checked with them.
create table token_key (
  public_key    bytea primary key check (length(public_key) = 32),
  key_id        text not null check (length(key_id) between 1 and 64),
  first_seen_at timestamptz not null
);

do $$
declare
  kept text;
begin
  foreach kept in array array['interval_decision', 'receipt_refusal', 'token_key'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()', kept || '_rows_stay', kept);
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()', kept || '_stays', kept);
    execute format('revoke update, delete, truncate on %I from public, current_user', kept);
  end loop;
end $$;

-- Reports that billing keeps and can post later, by the device's receipt or by an operator's release.
create table held_report (
  id                    bigint generated always as identity primary key,
  digest                bytea not null unique check (length(digest) = 32),
  envelope              bytea not null,     -- SignedUsageReport
  received_at           timestamptz not null,
  clock                 text not null,
  snapt_id              text not null,
  session_id            text not null,
  epoch                 bigint not null,
  sequence              bigint not null,
  account               text not null,
  started_at            timestamptz not null,
  ended_at              timestamptz not null,
  pre_bytes             bigint not null,
  charge_microdenarii   bigint not null,    -- under the tariff in force when it was held
  discount_microdenarii bigint not null,
  reason                text not null,
  detail                text not null,
  receipt_owed          boolean not null,
  state                 text not null default 'HELD' check (state in ('HELD', 'POSTED', 'DISCARDED')),
  decided_by            text,               -- null where the receipt decided
  decision              text not null default '' check (length(decision) <= 256),
  decided_at            timestamptz check ((state = 'HELD') = (decided_at is null)),
  check (state <> 'DISCARDED' or decided_by is not null)
);
create index held_report_waiting on held_report (snapt_id, id) where state = 'HELD';

create function held_report_is_decided_once() returns trigger language plpgsql as $$
begin
  if old.state <> 'HELD' then
    raise exception 'held report % is %, which stays', old.id, old.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger held_report_decided before update on held_report for each row execute function held_report_is_decided_once();
create trigger held_report_rows_stay before delete on held_report for each row execute function refuse_change();
create trigger held_report_stays before truncate on held_report for each statement execute function refuse_change();
revoke delete, truncate on held_report from public, current_user;

-- Counts per SNAPT and reason.
create index refused_report_by_snapt on refused_report (snapt_id, reason);
