-- What a flow wanted and what its path had left, as reported: null where it was not. `offered` is the throughput that the flow
-- was priced at; null for the measured point, and for charges from before.
alter table charge
  add column busy double precision check (busy between 0 and 1),
  add column spare double precision check (spare >= 0),
  add column demand_end text check (demand_end in ('DEVICE', 'SNAPT')),
  add column offered double precision check (offered >= 0);

-- The lines of a bill beside charge and discount. A refund names the broken promise with what was promised and measured.
alter table charge
  add column reward_microdenarii bigint not null default 0 check (reward_microdenarii >= 0),
  add column access_fee_microdenarii bigint not null default 0 check (access_fee_microdenarii >= 0),
  add column surcharge_microdenarii bigint not null default 0 check (surcharge_microdenarii >= 0),
  add column refund_microdenarii bigint not null default 0,
  add column broken_promise text check (broken_promise in ('DELAY', 'THROUGHPUT')),
  add column promised double precision,
  add column measured double precision,
  add check (refund_microdenarii between 0 and charge_microdenarii - discount_microdenarii),
  add check ((broken_promise is null) = (promised is null) and (broken_promise is null) = (measured is null)),
  add check (broken_promise is not null or refund_microdenarii = 0);
alter table snapt_report
  add column reward_microdenarii bigint not null default 0,
  add column access_fee_microdenarii bigint not null default 0,
  add column surcharge_microdenarii bigint not null default 0,
  add column refund_microdenarii bigint not null default 0;

-- What the payer pays, and what is owed before anything is given back; as the ledger's BillLines. Written c.net, r.gross.
create function net(c charge) returns bigint language sql immutable return
  c.charge_microdenarii - c.discount_microdenarii + c.access_fee_microdenarii + c.surcharge_microdenarii - c.refund_microdenarii;
create function net(r snapt_report) returns bigint language sql immutable return
  r.charge_microdenarii - r.discount_microdenarii + r.access_fee_microdenarii + r.surcharge_microdenarii - r.refund_microdenarii;
create function gross(r snapt_report) returns bigint language sql immutable return
  r.charge_microdenarii + r.access_fee_microdenarii + r.surcharge_microdenarii;

insert into ledger_account (name, kind, created_at) values ('OPERATOR:FEES', 'OPERATOR', now());

-- Refunds by an operator: at most what was paid.
create or replace function refund_is_within_the_charge() returns trigger language plpgsql as $$
declare
  payer text;
  paid bigint;
  refunded numeric;
begin
  if new.charge_id is not null then
    perform pg_advisory_xact_lock(1919247988, hashint8(new.charge_id));
    select c.account, c.net into payer, paid from charge c where c.id = new.charge_id;
    select coalesce(sum(amount_microdenarii), 0) into refunded from credit where charge_id = new.charge_id;
    if payer <> new.account or refunded + new.amount_microdenarii > paid then
      raise exception 'refund of % on charge % of %: % was paid by %, % is refunded already',
        new.amount_microdenarii, new.charge_id, new.account, paid, payer, refunded using errcode = 'check_violation';
    end if;
  end if;
  return new;
end $$;

-- What the owner of SNAPTs asks beside the price. A version is never changed; an interval uses the one in force at its start.
create table surcharge (
  owner          text not null check (owner ~ '^[A-Za-z0-9._-]{1,64}$'),
  version        integer not null check (version > 0),
  effective_from timestamptz not null,
  document       json not null,
  created_by     text not null,
  created_at     timestamptz not null,
  primary key (owner, version)
);
alter table charging_interval
  add column surcharge_version integer,
  add foreign key (owner, surcharge_version) references surcharge (owner, version);

-- Days (UTC) whose charges are not yet compared with the caps: a list of work, written with the charges.
create table open_day (
  account text not null references account,
  day     date not null,
  primary key (account, day)
);

-- What was paid above the cap of an hour or a day and given back. The application is empty for a day.
create table cap_credit (
  transaction_id     bigint primary key references ledger_transaction,
  account            text not null references account,
  cap                text not null check (cap in ('APPLICATION_HOUR', 'ACCOUNT_DAY')),
  application        text not null check ((application = '') = (cap = 'ACCOUNT_DAY')),
  began_at           timestamptz not null,
  tariff_version     integer not null references tariff,
  paid_microdenarii  bigint not null,
  limit_microdenarii bigint not null check (limit_microdenarii between 0 and paid_microdenarii - 1),
  unique (account, cap, application, began_at)
);
alter table ledger_transaction drop constraint ledger_transaction_kind_check;
alter table ledger_transaction add constraint ledger_transaction_kind_check check
  (kind in ('TOP_UP', 'PROVISIONAL', 'CORRECTION', 'SETTLEMENT', 'ADJUSTMENT', 'REVERSAL', 'CREDIT', 'REFUND', 'CAP'));

do $$
declare
  kept text;
begin
  foreach kept in array array['surcharge', 'cap_credit'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()', kept || '_rows_stay', kept);
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()', kept || '_stays', kept);
    execute format('revoke update, delete, truncate on %I from public, current_user', kept);
  end loop;
end $$;
-- The foreign key of an interval locks the surcharge; see V4.
grant update (created_at) on surcharge to current_user;
