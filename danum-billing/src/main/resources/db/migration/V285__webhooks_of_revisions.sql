-- A bill that a re-rating makes again is told, too (ADR 0057). Each event of a bill has its revision and what the account pays.
create or replace function webhook_on_report() returns trigger language plpgsql as $$
begin
  if exists (select from webhook_endpoint where state = 'ACTIVE' and 'charge.posted' = any (events)) then
    perform webhook_emit('charge.posted', i.account, jsonb_build_object('interval', i.id::text, 'snapt', i.snapt_id,
        'startedAt', i.started_at, 'endedAt', i.ended_at, 'preBytes', r.pre_bytes::text,
        'chargeMicrodenarii', r.charge_microdenarii::text, 'discountMicrodenarii', r.discount_microdenarii::text,
        'netMicrodenarii', (r.charge_microdenarii - r.discount_microdenarii + r.access_fee_microdenarii
          + r.surcharge_microdenarii - r.refund_microdenarii)::text,
        'revision', 0, 'state', lower(i.state)), i.received_at)
      from added r join charging_interval i on i.id = r.interval_id;
  end if;
  return null;
end $$;

create function webhook_on_revision() returns trigger language plpgsql as $$
begin
  if exists (select from webhook_endpoint where state = 'ACTIVE' and 'charge.posted' = any (events)) then
    perform webhook_emit('charge.posted', i.account, jsonb_build_object('interval', i.id::text, 'snapt', i.snapt_id,
        'startedAt', i.started_at, 'endedAt', i.ended_at, 'preBytes', r.pre_bytes::text,
        'chargeMicrodenarii', a.charge_microdenarii::text, 'discountMicrodenarii', a.discount_microdenarii::text,
        'netMicrodenarii', (a.charge_microdenarii - a.discount_microdenarii + a.access_fee_microdenarii
          + a.surcharge_microdenarii - a.refund_microdenarii)::text,
        'revision', a.revision, 'state', lower(i.state)), a.posted_at)
      from added a join charging_interval i on i.id = a.interval_id join snapt_report r on r.interval_id = a.interval_id;
  end if;
  return null;
end $$;
create trigger webhook_on_revision after insert on report_revision referencing new table as added
  for each statement execute function webhook_on_revision();
