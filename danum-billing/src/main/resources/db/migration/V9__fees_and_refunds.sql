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
