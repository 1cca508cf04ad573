-- An event for each discrepancy, whatever showed it: a receipt that the device refused, or its own report of the interval (ADR 0062).
-- Before, each refused receipt was an event, also below the threshold, and a device's report was none.
drop trigger webhook_on_refusal on receipt_refusal;
drop function webhook_on_refusal;
create function webhook_on_discrepancy() returns trigger language plpgsql as $$
begin
  perform webhook_emit('report.discrepancy', null, jsonb_build_object('discrepancy', new.id::text, 'report', encode(new.digest, 'hex'),
    'snapt', new.snapt_id, 'account', new.account, 'startedAt', new.started_at, 'basis', lower(new.basis),
    'snaptBytes', new.snapt_bytes::text, 'deviceBytes', new.device_bytes::text), new.opened_at);
  return null;
end $$;
create trigger webhook_on_discrepancy after insert on discrepancy for each row execute function webhook_on_discrepancy();
