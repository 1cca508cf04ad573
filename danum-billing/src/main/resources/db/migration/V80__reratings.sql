-- Re-rating: bills of a past time are made again under another tariff, and the differences are posted (ADR 0053). Rows of
-- intervals and charges are named by their ids without foreign keys, because their tables may be partitioned; `verify`
-- compares them.
alter table ledger_transaction drop constraint ledger_transaction_kind_check;
alter table ledger_transaction add constraint ledger_transaction_kind_check check
  (kind in ('TOP_UP', 'PROVISIONAL', 'CORRECTION', 'SETTLEMENT', 'ADJUSTMENT', 'REVERSAL', 'CREDIT', 'REFUND', 'CAP', 'GRANT', 'EXPIRY',
            'VOUCHER_SALE', 'VOUCHER_REDEMPTION', 'VOUCHER_EXPIRY', 'VOUCHER_RETURN', 'RERATING'));

-- A run: all intervals that began in a time. Only `stopped` and `listed_at` ever change.
create table rerating (
  number         bigint generated always as identity primary key,
  id             text not null unique check (id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'), -- from the operator
  from_at        timestamptz not null,
  to_at          timestamptz not null check (to_at > from_at),
  account        text references account,       -- null: all
  service_class  text,                          -- null: all
  tariff_version integer not null references tariff,
  reason         text not null check (length(reason) between 1 and 256),
  created_by     text not null references account,
  created_at     timestamptz not null,
  stopped        boolean not null default false,
  listed_at      timestamptz                    -- when its list of intervals was made
);

-- The list of work of a run. A line gets its outcome in the transaction that posts.
create table rerating_item (
  rerating    bigint not null references rerating,
  interval_id bigint not null,
  outcome     text not null default 'WAITING' check (outcome in ('WAITING', 'CHANGED', 'SAME', 'REFUNDED', 'VOID')),
  primary key (rerating, interval_id)
);
create index rerating_item_waiting on rerating_item (rerating, interval_id) where outcome = 'WAITING';
create index rerating_item_refunded on rerating_item (rerating, interval_id) where outcome = 'REFUNDED';

-- An interval that is billed after the run has begun puts itself on the list. The lock makes the beginning of a run wait for
-- transactions that bill, and later ones see the run.
create function interval_joins_reratings() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(7809651);
  insert into rerating_item (rerating, interval_id)
    select r.number, i.id from added i join rerating r
      on i.started_at >= r.from_at and i.started_at < r.to_at and (r.account is null or r.account = i.account);
  return null;
end $$;
create trigger interval_joins_reratings after insert on charging_interval referencing new table as added
  for each statement execute function interval_joins_reratings();

-- A bill that was made again, of a report and of its flows. Revision 0 is the bill that was posted with the report.
create table report_revision (
  interval_id             bigint not null,
  revision                integer not null check (revision > 0),
  rerating                bigint not null references rerating,
  posted_at               timestamptz not null,
  charge_microdenarii     bigint not null check (charge_microdenarii >= 0),
  discount_microdenarii   bigint not null check (discount_microdenarii >= 0),
  reward_microdenarii     bigint not null check (reward_microdenarii >= 0),
  access_fee_microdenarii bigint not null check (access_fee_microdenarii >= 0),
  surcharge_microdenarii  bigint not null check (surcharge_microdenarii >= 0),
  refund_microdenarii     bigint not null check (refund_microdenarii >= 0),
  primary key (interval_id, revision),
  unique (rerating, interval_id)
);
create table charge_revision (
  charge_id               bigint not null,
  revision                integer not null check (revision > 0),
  tariff_version          integer not null references tariff,
  throughput              double precision not null,
  delay_ms                double precision not null,
  delay_error_ms          double precision,
  delay_source            text not null,
  utility_per_second      double precision not null,
  price_per_unit          double precision not null,
  units                   double precision not null,
  offered                 double precision check (offered >= 0),
  broken_promise          text check (broken_promise in ('DELAY', 'THROUGHPUT')),
  promised                double precision,
  measured                double precision,
  charge_microdenarii     bigint not null check (charge_microdenarii >= 0),
  discount_microdenarii   bigint not null check (discount_microdenarii between 0 and charge_microdenarii),
  reward_microdenarii     bigint not null check (reward_microdenarii >= 0),
  access_fee_microdenarii bigint not null check (access_fee_microdenarii >= 0),
  surcharge_microdenarii  bigint not null check (surcharge_microdenarii >= 0),
  refund_microdenarii     bigint not null check (refund_microdenarii between 0 and charge_microdenarii - discount_microdenarii),
  primary key (charge_id, revision),
  check ((broken_promise is null) = (promised is null) and (broken_promise is null) = (measured is null))
);

-- The newest revision of each interval that has one. It is derived: this trigger is its only writer.
create table newest_revision (
  interval_id bigint primary key,
  revision    integer not null
);
create function revision_is_newest() returns trigger language plpgsql as $$
begin
  insert into newest_revision (interval_id, revision) select interval_id, revision from added
    on conflict (interval_id) do update set revision = excluded.revision;
  return null;
end $$;
create trigger revision_is_newest after insert on report_revision referencing new table as added
  for each statement execute function revision_is_newest();

-- Charges with every bill that they had. `revised_tariff_version` is null for revision 0: the interval names its tariff.
create view charge_with_revisions as
  select c.id, c.interval_id, c.flow, c.account, c.started_at, c.application, c.service_class, c.protocol, c.remote_address,
    c.remote_port, c.pre_bytes, c.post_bytes, c.saved_bytes, c.duration_ms, c.loss, c.busy, c.spare, c.demand_end, c.device, c.link,
    c.jitter_ms, 0 as revision, null::integer as revised_tariff_version, c.throughput, c.delay_ms, c.delay_error_ms, c.delay_source,
    c.utility_per_second, c.price_per_unit, c.units, c.offered, c.broken_promise, c.promised, c.measured, c.charge_microdenarii,
    c.discount_microdenarii, c.reward_microdenarii, c.access_fee_microdenarii, c.surcharge_microdenarii, c.refund_microdenarii
  from charge c
  union all
  select c.id, c.interval_id, c.flow, c.account, c.started_at, c.application, c.service_class, c.protocol, c.remote_address,
    c.remote_port, c.pre_bytes, c.post_bytes, c.saved_bytes, c.duration_ms, c.loss, c.busy, c.spare, c.demand_end, c.device, c.link,
    c.jitter_ms, v.revision, v.tariff_version, v.throughput, v.delay_ms, v.delay_error_ms, v.delay_source,
    v.utility_per_second, v.price_per_unit, v.units, v.offered, v.broken_promise, v.promised, v.measured, v.charge_microdenarii,
    v.discount_microdenarii, v.reward_microdenarii, v.access_fee_microdenarii, v.surcharge_microdenarii, v.refund_microdenarii
  from charge c join charge_revision v on v.charge_id = c.id;

-- Charges with the bill that counts. The joins find nothing for most charges, so lists keep the order of their index.
create view current_charge as
  select c.id, c.interval_id, c.flow, c.account, c.started_at, c.application, c.service_class, c.protocol, c.remote_address,
    c.remote_port, c.pre_bytes, c.post_bytes, c.saved_bytes, c.duration_ms, c.loss, c.busy, c.spare, c.demand_end, c.device, c.link,
    c.jitter_ms, coalesce(v.revision, 0) as revision, v.tariff_version as revised_tariff_version,
    coalesce(v.throughput, c.throughput) as throughput, coalesce(v.delay_ms, c.delay_ms) as delay_ms,
    case when v.revision is null then c.delay_error_ms else v.delay_error_ms end as delay_error_ms,
    coalesce(v.delay_source, c.delay_source) as delay_source,
    coalesce(v.utility_per_second, c.utility_per_second) as utility_per_second,
    coalesce(v.price_per_unit, c.price_per_unit) as price_per_unit, coalesce(v.units, c.units) as units,
    case when v.revision is null then c.offered else v.offered end as offered,
    case when v.revision is null then c.broken_promise else v.broken_promise end as broken_promise,
    case when v.revision is null then c.promised else v.promised end as promised,
    case when v.revision is null then c.measured else v.measured end as measured,
    coalesce(v.charge_microdenarii, c.charge_microdenarii) as charge_microdenarii,
    coalesce(v.discount_microdenarii, c.discount_microdenarii) as discount_microdenarii,
    coalesce(v.reward_microdenarii, c.reward_microdenarii) as reward_microdenarii,
    coalesce(v.access_fee_microdenarii, c.access_fee_microdenarii) as access_fee_microdenarii,
    coalesce(v.surcharge_microdenarii, c.surcharge_microdenarii) as surcharge_microdenarii,
    coalesce(v.refund_microdenarii, c.refund_microdenarii) as refund_microdenarii
  from charge c left join newest_revision n on n.interval_id = c.interval_id
    left join charge_revision v on (v.charge_id, v.revision) = (c.id, n.revision);

-- Bills of reports, the one that counts.
create view current_report as
  select r.interval_id, r.digest, r.content, r.signature, r.key_id, r.last, r.pre_bytes, r.post_bytes, r.overhead_bytes, r.token,
    coalesce(v.revision, 0) as revision,
    coalesce(v.charge_microdenarii, r.charge_microdenarii) as charge_microdenarii,
    coalesce(v.discount_microdenarii, r.discount_microdenarii) as discount_microdenarii,
    coalesce(v.reward_microdenarii, r.reward_microdenarii) as reward_microdenarii,
    coalesce(v.access_fee_microdenarii, r.access_fee_microdenarii) as access_fee_microdenarii,
    coalesce(v.surcharge_microdenarii, r.surcharge_microdenarii) as surcharge_microdenarii,
    coalesce(v.refund_microdenarii, r.refund_microdenarii) as refund_microdenarii
  from snapt_report r left join newest_revision n on n.interval_id = r.interval_id
    left join report_revision v on (v.interval_id, v.revision) = (r.interval_id, n.revision);

create function net(c current_charge) returns bigint language sql immutable return
  c.charge_microdenarii - c.discount_microdenarii + c.access_fee_microdenarii + c.surcharge_microdenarii - c.refund_microdenarii;
create function net(r current_report) returns bigint language sql immutable return
  r.charge_microdenarii - r.discount_microdenarii + r.access_fee_microdenarii + r.surcharge_microdenarii - r.refund_microdenarii;
create function gross(r current_report) returns bigint language sql immutable return
  r.charge_microdenarii + r.access_fee_microdenarii + r.surcharge_microdenarii;

-- Refunds by an operator: at most what the charge costs now.
create or replace function refund_is_within_the_charge() returns trigger language plpgsql as $$
declare
  payer text;
  paid bigint;
  refunded numeric;
begin
  if new.charge_id is not null then
    perform pg_advisory_xact_lock(1919247988, hashint8(new.charge_id));
    select c.account, c.net into payer, paid from current_charge c where c.id = new.charge_id;
    select coalesce(sum(amount_microdenarii), 0) into refunded from credit where charge_id = new.charge_id;
    if payer <> new.account or refunded + new.amount_microdenarii > paid then
      raise exception 'refund of % on charge % of %: % was paid by %, % is refunded already',
        new.amount_microdenarii, new.charge_id, new.account, paid, payer, refunded using errcode = 'check_violation';
    end if;
  end if;
  return new;
end $$;

-- A day that is re-rated is compared with the caps again: what was given back before is taken off. So a cap can have several
-- credits, and one may be negative.
alter table cap_credit add column revision integer not null default 0 check (revision >= 0);
alter table cap_credit add column amount_microdenarii bigint;
alter table cap_credit disable trigger cap_credit_rows_stay;
grant update on cap_credit to current_user;
update cap_credit set amount_microdenarii = paid_microdenarii - limit_microdenarii;
revoke update on cap_credit from current_user;
alter table cap_credit enable trigger cap_credit_rows_stay;
alter table cap_credit alter column amount_microdenarii set not null;
alter table cap_credit add check (amount_microdenarii <> 0);
alter table cap_credit drop constraint cap_credit_check1;
alter table cap_credit add constraint cap_credit_limit_check check (limit_microdenarii >= 0 and limit_microdenarii <= paid_microdenarii);
alter table cap_credit drop constraint cap_credit_account_cap_application_began_at_key;
alter table cap_credit add unique (account, cap, application, began_at, revision);

-- Spending, as in V38, with the differences of re-rating: they belong to the day of the report, too.
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
    where p.account like 'USER:%' and t.kind in ('PROVISIONAL', 'CORRECTION', 'ADJUSTMENT', 'REVERSAL', 'RERATING')
    group by 1, 2 order by 1, 2
  on conflict (account, day) do update set spent_microdenarii = s.spent_microdenarii + excluded.spent_microdenarii;
  return null;
end $$;

do $$
declare
  kept text;
begin
  foreach kept in array array['report_revision', 'charge_revision'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()', kept || '_rows_stay', kept);
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()', kept || '_stays', kept);
    execute format('revoke update, delete, truncate on %I from public, current_user', kept);
  end loop;
end $$;
revoke delete, truncate on rerating, rerating_item, newest_revision from public, current_user;
