-- Payments of users at a payment provider (ADR 0047). The provider's events decide; a payment is posted by one event at most.
create table payment (
  id                  text primary key check (id ~ '^[0-9a-f]{32}$'), -- random: it is in the address of the pay page
  idempotency_key     text not null unique check (length(idempotency_key) between 1 and 128),
  account             text not null references account,
  amount_microdenarii bigint not null check (amount_microdenarii > 0),
  started_at          timestamptz not null,
  number              bigint generated always as identity unique
);
create index payment_by_account on payment (account, number);

create table payment_event (
  event_id       text primary key check (length(event_id) between 1 and 128), -- the provider's
  digest         bytea not null check (length(digest) = 32),                  -- SHA-256 of its body
  payment_id     text not null references payment,
  kind           text not null check (kind in ('PAID', 'FAILED')),
  received_at    timestamptz not null,
  transaction_id bigint references ledger_transaction check ((kind = 'PAID') = (transaction_id is not null))
);
create unique index payment_is_paid_once on payment_event (payment_id) where kind = 'PAID';
create index payment_event_of_payment on payment_event (payment_id);

do $$
declare
  kept text;
begin
  foreach kept in array array['payment', 'payment_event'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()', kept || '_rows_stay', kept);
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()', kept || '_stays', kept);
    execute format('revoke update, delete, truncate on %I from public, current_user', kept);
  end loop;
end $$;
-- Foreign keys lock the rows that they refer to; see V4.
grant update (started_at) on payment to current_user;
