-- Monthly partitions (ADR 0059). The tables that grow with each report are partitioned by ranges of ids, because an id carries its
-- month: its upper bits are the number of the month, its lower 41 bits come from a sequence. So ids stay unique by themselves,
-- foreign keys stay, and a row of an interval is found in one partition. The tables of before become the partition of month 0:
-- their rows are not copied. Identities that must stay unique for ever are in key tables that are not partitioned.

-- Number of a month (UTC): 1 is January 2020, 0 is all time before.
create function month_number(at timestamptz) returns bigint language sql immutable return
  greatest(0, (extract(year from at at time zone 'UTC')::bigint - 2020) * 12 + extract(month from at at time zone 'UTC')::bigint);
create function month_start(of_month bigint) returns timestamptz language sql immutable return
  make_timestamptz(2020, 1, 1, 0, 0, 0, 'UTC') + make_interval(months => of_month::int - 1);
create function month_name(of_month bigint) returns text language sql immutable return
  case of_month when 0 then 'before' else to_char(month_start(of_month) at time zone 'UTC', 'YYYYMM') end;

-- Months that have partitions. Month 0 takes the rows of months without: nothing is refused for a missing partition.
create table billing_month (
  number  bigint primary key check (number between 0 and 4095),
  made_at timestamptz not null
);
insert into billing_month values (0, now());

-- An id that is drawn more than once in 41 bits has another month.
alter sequence charging_interval_id maxvalue 2199023255551 cycle;
alter sequence charge_id maxvalue 2199023255551 cycle;
alter sequence ledger_transaction_id maxvalue 2199023255551 cycle;
create function id_in_month(of_month bigint, sequence regclass) returns bigint language sql return
  (case when exists (select from billing_month m where m.number = of_month) then of_month else 0 end << 41) | nextval(sequence);

-- The partitioned tables with the columns of their ranges. A table comes after those that it refers to.
create function partitioned_tables() returns table (name text, range_column text, place bigint) language sql immutable as $$
  select * from unnest(
    array['charging_interval', 'snapt_report', 'charge', 'interval_decision', 'interval_pass',
      'flow_peer', 'report_original', 'ledger_transaction', 'posting'],
    array['id', 'interval_id', 'interval_id', 'interval_id', 'interval_id', 'interval_id', 'interval_id', 'id', 'transaction_id']) with ordinality
$$;

-- Views and functions of the rows are made again below.
drop function net(charge), net(snapt_report), gross(snapt_report);

do $$
declare
  part record;
  x record;
  triggers text[];
  indexes text[];
  command text;
begin
  -- Rows that outlive a month, and rows of another month, name a row by its id without a foreign key; `verify` compares them.
  for x in select conrelid::regclass as name, conname from pg_constraint
      where contype = 'f' and confrelid in (select p.name::regclass from partitioned_tables() p) loop
    execute format('alter table %s drop constraint %I', x.name, x.conname);
  end loop;
  alter table charging_interval drop constraint charging_interval_snapt_id_session_id_epoch_sequence_key;
  alter table ledger_transaction drop constraint ledger_transaction_identity_key;
  alter table charge validate constraint charge_link_check; -- V36 has not read the rows; a partition must have

  for part in select name, range_column, name || '_before' as before from partitioned_tables() order by place loop
    select coalesce(array_agg(pg_get_triggerdef(oid) order by tgname), '{}') into triggers
      from pg_trigger where tgrelid = part.name::regclass and not tgisinternal;
    select coalesce(array_agg(pg_get_indexdef(indexrelid) order by indexrelid), '{}') into indexes
      from pg_index i where indrelid = part.name::regclass and not exists (select from pg_constraint where conindid = i.indexrelid);
    for x in select tgname from pg_trigger where tgrelid = part.name::regclass and not tgisinternal loop
      execute format('drop trigger %I on %I', x.tgname, part.name);
    end loop;
    for x in select i.indexrelid::regclass::text as name from pg_index i where indrelid = part.name::regclass loop
      execute format('alter index %s rename to %I', x.name, x.name || '_before');
    end loop;
    execute format('alter table %I rename to %I', part.name, part.before);
    execute format('create table %I (like %I including defaults including constraints) partition by range (%I)', part.name, part.before, part.range_column);
    execute format('alter table %I attach partition %I for values from (minvalue) to (%s)', part.name, part.before, 1::bigint << 41);
    foreach command in array indexes loop
      execute command;
    end loop;
    foreach command in array triggers loop
      execute command;
    end loop;
    for x in select conname, pg_get_constraintdef(oid) as definition from pg_constraint
        where conrelid = part.before::regclass and contype = 'f' loop
      execute format('alter table %I add constraint %I %s', part.name, x.conname, x.definition);
    end loop;
    execute format('revoke update, delete, truncate on %I from public, current_user', part.name);
  end loop;
end $$;
alter table charging_interval add primary key (id);
alter table snapt_report add primary key (interval_id);
alter table charge add unique (interval_id, flow);
alter table interval_decision add primary key (interval_id);
alter table interval_pass add primary key (interval_id, application, service_class);
alter table flow_peer add primary key (interval_id, flow);
alter table report_original add primary key (interval_id);
alter table ledger_transaction add primary key (id);
alter table posting add primary key (transaction_id, line);
alter table snapt_report add foreign key (interval_id) references charging_interval;
alter table charge add foreign key (interval_id) references charging_interval;
alter table interval_decision add foreign key (interval_id) references charging_interval;
alter table interval_pass add foreign key (interval_id) references charging_interval;
alter table posting add foreign key (transaction_id) references ledger_transaction;
grant update (state) on charging_interval to current_user;
-- Foreign keys lock the rows that they refer to; see V4.
grant update (posted_at) on ledger_transaction to current_user;
grant update (started_at) on charge to current_user;

-- The identity of an interval, for ever: the same key with another time is a conflict, never a second posting.
create table interval_key (
  snapt_id    text not null,
  session_id  text not null,
  epoch       bigint not null,
  sequence    bigint not null,
  interval_id bigint not null,
  primary key (snapt_id, session_id, epoch, sequence)
);
insert into interval_key select snapt_id, session_id, epoch, sequence, id from charging_interval;
create function interval_has_one_key() returns trigger language plpgsql as $$
begin
  insert into interval_key (snapt_id, session_id, epoch, sequence, interval_id)
    select snapt_id, session_id, epoch, sequence, id from added;
  return null;
end $$;
create trigger interval_has_one_key after insert on charging_interval referencing new table as added
  for each statement execute function interval_has_one_key();

-- The identity of a transaction, while its month is kept.
create table ledger_identity (
  identity       text primary key,
  transaction_id bigint not null
);
insert into ledger_identity select identity, id from ledger_transaction;
create function transaction_has_one_identity() returns trigger language plpgsql as $$
begin
  insert into ledger_identity (identity, transaction_id) select identity, id from added;
  return null;
end $$;
create trigger transaction_has_one_identity after insert on ledger_transaction referencing new table as added
  for each statement execute function transaction_has_one_identity();

-- Makes the partitions of a month. The owner's role calls it. The locks are taken first, in the order in which billing posts.
create function make_month(of_month bigint) returns boolean language plpgsql as $$
declare
  part record;
  made text;
  first_id bigint := of_month << 41;
  next_id bigint := (of_month + 1) << 41;
begin
  perform pg_advisory_xact_lock(1919247990);
  if exists (select from billing_month where number = of_month) then
    return false;
  end if;
  -- This changes nothing, and takes the locks of new foreign keys. LOCK would need rights that V4 has revoked.
  alter table account enable trigger account_changed;
  alter table tariff enable trigger tariff_rows_stay;
  alter table surcharge enable trigger surcharge_rows_stay;
  alter table charging_interval enable trigger charging_interval_rows_stay;
  alter table ledger_account enable trigger ledger_account_rows_stay;
  alter table ledger_transaction enable trigger ledger_transaction_rows_stay;
  for part in select * from partitioned_tables() order by place loop
    made := part.name || '_' || month_name(of_month);
    execute format('create table %I (like %I including defaults including constraints)', made, part.name);
    if of_month > 0 and part.name in ('charging_interval', 'charge') then
      execute format('alter table %I add check (started_at >= %L and started_at < %L)', made, month_start(of_month), month_start(of_month + 1));
    end if;
    if part.name = 'charge' then
      execute format('alter table %I add primary key (id), add check (id >= %s and id < %s)', made, first_id, next_id);
    end if;
    execute format('alter table %I attach partition %I for values from (%s) to (%s)',
      part.name, made, case of_month when 0 then 'minvalue' else first_id::text end, next_id);
    execute format('revoke update, delete, truncate on %I from public, current_user', made);
  end loop;
  insert into billing_month values (of_month, now());
  return true;
end $$;

-- Makes the months from the present one, or from the newest one, until one that is to come.
create function make_months(until timestamptz) returns bigint language sql as $$
  select count(*) filter (where make_month(n)) from generate_series(
    coalesce((select max(number) + 1 from billing_month where number > 0), month_number(now())), month_number(until)) n
$$;

do $$
declare
  kept text;
begin
  foreach kept in array array['interval_key', 'ledger_identity'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()', kept || '_rows_stay', kept);
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()', kept || '_stays', kept);
    execute format('revoke update, delete, truncate on %I from public, current_user', kept);
  end loop;
end $$;

-- As in V9 and V80, for the partitioned tables.
create function net(c charge) returns bigint language sql immutable return
  c.charge_microdenarii - c.discount_microdenarii + c.access_fee_microdenarii + c.surcharge_microdenarii - c.refund_microdenarii;
create function net(r snapt_report) returns bigint language sql immutable return
  r.charge_microdenarii - r.discount_microdenarii + r.access_fee_microdenarii + r.surcharge_microdenarii - r.refund_microdenarii;
create function gross(r snapt_report) returns bigint language sql immutable return
  r.charge_microdenarii + r.access_fee_microdenarii + r.surcharge_microdenarii;

create view charge_with_revisions as
  select c.id, c.interval_id, c.flow, c.account, c.started_at, c.application, c.service_class, c.protocol, c.pre_bytes, c.post_bytes, c.saved_bytes, c.duration_ms, c.loss, c.busy, c.spare, c.demand_end, c.device, c.link,
    c.jitter_ms, 0 as revision, null::integer as revised_tariff_version, c.throughput, c.delay_ms, c.delay_error_ms, c.delay_source,
    c.utility_per_second, c.price_per_unit, c.units, c.offered, c.broken_promise, c.promised, c.measured, c.charge_microdenarii,
    c.discount_microdenarii, c.reward_microdenarii, c.access_fee_microdenarii, c.surcharge_microdenarii, c.refund_microdenarii
  from charge c
  union all
  select c.id, c.interval_id, c.flow, c.account, c.started_at, c.application, c.service_class, c.protocol, c.pre_bytes, c.post_bytes, c.saved_bytes, c.duration_ms, c.loss, c.busy, c.spare, c.demand_end, c.device, c.link,
    c.jitter_ms, v.revision, v.tariff_version, v.throughput, v.delay_ms, v.delay_error_ms, v.delay_source,
    v.utility_per_second, v.price_per_unit, v.units, v.offered, v.broken_promise, v.promised, v.measured, v.charge_microdenarii,
    v.discount_microdenarii, v.reward_microdenarii, v.access_fee_microdenarii, v.surcharge_microdenarii, v.refund_microdenarii
  from charge c join charge_revision v on v.charge_id = c.id;

-- Charges with the bill that counts. The joins find nothing for most charges, so lists keep the order of their index.
create view current_charge as
  select c.id, c.interval_id, c.flow, c.account, c.started_at, c.application, c.service_class, c.protocol, c.pre_bytes, c.post_bytes, c.saved_bytes, c.duration_ms, c.loss, c.busy, c.spare, c.demand_end, c.device, c.link,
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
  select r.interval_id, r.digest, r.last, r.pre_bytes, r.post_bytes, r.overhead_bytes,
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

-- As in V80. A charge whose month is gone cannot be refunded.
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
    if payer is distinct from new.account or refunded + new.amount_microdenarii > paid then
      raise exception 'refund of % on charge % of %: % was paid by %, % is refunded already',
        new.amount_microdenarii, new.charge_id, new.account, paid, payer, refunded using errcode = 'check_violation';
    end if;
  end if;
  return new;
end $$;
