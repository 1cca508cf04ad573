-- Money that is spent before prepaid money, and that expires (ADR 0043). What a wallet has left is its amount, less what
-- charges drew, less what expired; all three are only ever added.
alter table ledger_transaction drop constraint ledger_transaction_kind_check;
alter table ledger_transaction add constraint ledger_transaction_kind_check check
  (kind in ('TOP_UP', 'PROVISIONAL', 'CORRECTION', 'SETTLEMENT', 'ADJUSTMENT', 'REVERSAL', 'CREDIT', 'REFUND', 'CAP', 'GRANT', 'EXPIRY'));
insert into ledger_account (name, kind, created_at) values ('OPERATOR:GRANTS', 'OPERATOR', now());

create table wallet (
  id                  bigint generated always as identity primary key,
  idempotency_key     text not null unique check (length(idempotency_key) between 1 and 192),
  account             text not null references account,
  kind                text not null check (kind in ('GRANT', 'ALLOWANCE')),
  amount_microdenarii bigint not null check (amount_microdenarii > 0),
  granted_at          timestamptz not null,
  expires_at          timestamptz not null check (expires_at > granted_at),
  reason              text not null check (length(reason) between 1 and 256),
  created_by          text not null,
  transaction_id      bigint not null references ledger_transaction
);
create index wallet_by_account on wallet (account, expires_at);
create index wallet_by_expiry on wallet (expires_at);

create table wallet_draw (
  wallet_id           bigint not null references wallet,
  charge_id           bigint not null references charge,
  amount_microdenarii bigint not null check (amount_microdenarii > 0),
  primary key (wallet_id, charge_id)
);
create index wallet_draw_by_charge on wallet_draw (charge_id);

create table wallet_expiry (
  wallet_id           bigint primary key references wallet,
  amount_microdenarii bigint not null check (amount_microdenarii >= 0),
  expired_at          timestamptz not null,
  transaction_id      bigint references ledger_transaction -- null if nothing was left
);

-- What an account is granted at the beginning of each month (UTC).
create table allowance (
  account             text primary key references account,
  amount_microdenarii bigint not null check (amount_microdenarii > 0),
  changed_by          text not null,
  changed_at          timestamptz not null
);

-- Why the traffic of an application could pass in an interval, for sessions under credit control.
create table interval_pass (
  interval_id   bigint not null references charging_interval,
  application   text not null,
  service_class text not null,
  rule          text not null check (rule in ('QUOTA', 'BEYOND_QUOTA')),
  primary key (interval_id, application, service_class)
);

do $$
declare
  kept text;
begin
  foreach kept in array array['wallet', 'wallet_draw', 'wallet_expiry', 'interval_pass'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()', kept || '_rows_stay', kept);
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()', kept || '_stays', kept);
    execute format('revoke update, delete, truncate on %I from public, current_user', kept);
  end loop;
end $$;
-- Foreign keys lock the rows that they refer to; see V4.
grant update (granted_at) on wallet to current_user;
