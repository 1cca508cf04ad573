-- Vouchers: money that was sold to a bearer (ADR 0047). Their account is what the operator owes to the bearers.
alter table ledger_account drop constraint ledger_account_kind_check;
alter table ledger_account add constraint ledger_account_kind_check check
  (kind in ('USER', 'CLEARING', 'PROVIDER', 'OPERATOR', 'ISSUANCE', 'VOUCHERS'));
insert into ledger_account (name, kind, created_at) values ('VOUCHERS', 'VOUCHERS', now()), ('OPERATOR:BREAKAGE', 'OPERATOR', now());
alter table ledger_transaction drop constraint ledger_transaction_kind_check;
alter table ledger_transaction add constraint ledger_transaction_kind_check check
  (kind in ('TOP_UP', 'PROVISIONAL', 'CORRECTION', 'SETTLEMENT', 'ADJUSTMENT', 'REVERSAL', 'CREDIT', 'REFUND', 'CAP', 'GRANT', 'EXPIRY',
            'VOUCHER_SALE', 'VOUCHER_REDEMPTION', 'VOUCHER_EXPIRY', 'VOUCHER_RETURN'));

create table voucher_batch (
  id                  bigint generated always as identity primary key,
  idempotency_key     text not null unique check (length(idempotency_key) between 1 and 128),
  vouchers            integer not null check (vouchers between 1 and 1000),
  amount_microdenarii bigint not null check (amount_microdenarii > 0), -- of each voucher
  expires_at          timestamptz not null check (expires_at > made_at),
  note                text not null check (length(note) <= 256),
  made_by             text not null references account,
  made_at             timestamptz not null,
  transaction_id      bigint not null references ledger_transaction
);
create index voucher_batch_by_expiry on voucher_batch (expires_at);

-- The code itself is never stored: only its SHA-256.
create table voucher (
  id          bigint generated always as identity primary key,
  batch_id    bigint not null references voucher_batch,
  number      integer not null check (number > 0), -- in its batch; both are printed on it
  code_digest bytea not null unique check (length(code_digest) = 32),
  unique (batch_id, number)
);

-- A voucher ends once: redeemed by an account, expired, or returned to the operator.
create table voucher_end (
  voucher_id     bigint primary key references voucher,
  how            text not null check (how in ('REDEEMED', 'EXPIRED', 'RETURNED')),
  account        text references account check ((how = 'REDEEMED') = (account is not null)),
  ended_at       timestamptz not null,
  transaction_id bigint not null references ledger_transaction
);

do $$
declare
  kept text;
begin
  foreach kept in array array['voucher_batch', 'voucher', 'voucher_end'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()', kept || '_rows_stay', kept);
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()', kept || '_stays', kept);
    execute format('revoke update, delete, truncate on %I from public, current_user', kept);
  end loop;
end $$;
-- Foreign keys lock the rows that they refer to; see V4.
grant update (made_at) on voucher_batch to current_user;
grant update (number) on voucher to current_user;
