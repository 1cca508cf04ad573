-- One session of a device at one SNAPT; its row is the lock under which the session's reports are posted.
create table relay_session (
  snapt_id   text not null,
  session_id text not null,
  epoch      bigint not null,                -- highest start counter seen; a lower one is refused
  primary key (snapt_id, session_id)
);

-- One interval of one session: the unit of billing. Only its state ever changes, and only forward.
create sequence charging_interval_id;
create table charging_interval (
  id             bigint primary key,
  snapt_id       text not null,
  session_id     text not null,
  epoch          bigint not null check (epoch >= 0),
  sequence       bigint not null check (sequence >= 0),
  account        text not null references account,
  owner          text not null,              -- of the SNAPT: earns the provider's fee
  icid           text not null,
  token_id       text not null,
  started_at     timestamptz not null,       -- the bridge's time where the SNAPT's clock was ahead
  ended_at       timestamptz not null,
  received_at    timestamptz not null,
  grace_ends_at  timestamptz not null,
  clock          text not null check (clock in ('GOOD', 'AHEAD', 'BEHIND')),
  tariff_version integer not null references tariff,
  state          text not null check (state in ('PROVISIONAL', 'CORRECTED', 'FINAL', 'FINAL_PROVISIONAL', 'ADJUSTED')),
  unique (snapt_id, session_id, epoch, sequence)
);
alter table ledger_transaction add foreign key (interval_id) references charging_interval;
create index charging_interval_due on charging_interval (grace_ends_at) where state in ('PROVISIONAL', 'CORRECTED');
create index charging_interval_in_grace on charging_interval (grace_ends_at);

create function charging_interval_moves_forward() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'state' <> to_jsonb(old) - 'state' or (old.state, new.state) not in
      (('PROVISIONAL', 'CORRECTED'), ('PROVISIONAL', 'FINAL_PROVISIONAL'), ('CORRECTED', 'FINAL'), ('FINAL_PROVISIONAL', 'ADJUSTED')) then
    raise exception 'charging interval % must not go from % to %', old.id, old.state, new.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger charging_interval_state before update on charging_interval
  for each row execute function charging_interval_moves_forward();

-- The SNAPT's report of an interval, as signed, with what it came to.
create table snapt_report (
  interval_id          bigint primary key references charging_interval,
  digest               bytea not null check (length(digest) = 32),
  content              bytea not null,
  signature            bytea not null,
  key_id               text not null,
  last                 boolean not null,
  pre_bytes            bigint not null,
  post_bytes           bigint not null,
  overhead_bytes       bigint not null,
  charge_microdenarii  bigint not null check (charge_microdenarii >= 0),
  discount_microdenarii bigint not null check (discount_microdenarii >= 0)
);

-- What a flow of the interval cost, with every number that the price was made of.
create sequence charge_id;
create table charge (
  id                    bigint primary key,
  interval_id           bigint not null references charging_interval,
  flow                  bigint not null,
  account               text not null references account,
  application           text not null,
  service_class         text not null,
  protocol              integer not null,
  remote_address        text not null,
  remote_port           integer not null,
  pre_bytes             bigint not null,
  post_bytes            bigint not null,
  saved_bytes           bigint not null,
  duration_ms           bigint not null,
  throughput            double precision not null,
  delay_ms              double precision not null,
  delay_source          text not null,
  loss                  double precision not null,
  utility_per_second    double precision not null,
  price_per_unit        double precision not null,
  units                 double precision not null,
  charge_microdenarii   bigint not null check (charge_microdenarii >= 0),
  discount_microdenarii bigint not null check (discount_microdenarii between 0 and charge_microdenarii),
  unique (interval_id, flow)
);
create index charge_by_account on charge (account, id);

-- Reports that were not billed, and why: for the operator. A CONFLICT has an interval already; the first report stands.
create table refused_report (
  id          bigint generated always as identity primary key,
  received_at timestamptz not null,
  reason      text not null,
  detail      text not null,
  snapt_id    text not null,
  session_id  text not null,
  epoch       bigint not null,
  sequence    bigint not null,
  account     text not null,
  digest      bytea not null,
  content     bytea not null,
  unique (digest, reason)
);
