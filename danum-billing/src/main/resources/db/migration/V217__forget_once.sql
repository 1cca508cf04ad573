-- As in V200, but once after each cut. Retention asks every hour, and the identities of the kept months are as many as their
-- transactions: a look through them, with a call of kept_from() for each row, would last minutes in a large database.
-- What names a row that is still there stays: a late report of a dropped month is in month 0, whose ids are below each cut.
alter table sealed add column forgotten boolean not null default false;

create or replace function forget_sealed() returns void language plpgsql as $$
declare
  below bigint := kept_from();
  began timestamptz := month_start(sealed_month());
begin
  if not exists (select from sealed where not forgotten) then
    return;
  end if;
  insert into lifted values (pg_current_xact_id());
  grant delete on ledger_identity, rerating_item, relayed_bytes, call_request, carried_flow to current_user;
  delete from ledger_identity d where transaction_id < below and not exists (select from ledger_transaction t where t.id = d.transaction_id);
  delete from rerating_item d where interval_id < below and not exists (select from charging_interval i where i.id = d.interval_id);
  delete from relayed_bytes d where interval_id < below and not exists (select from charging_interval i where i.id = d.interval_id);
  delete from carried_flow d where interval_id < below and not exists (select from charging_interval i where i.id = d.interval_id);
  delete from call_request where received_at < began;
  revoke delete on ledger_identity, rerating_item, relayed_bytes, call_request, carried_flow from current_user;
  delete from call_media where call_id in (select id from call_session where ended_at < began);
  delete from cdr_interval d where interval_id < below and not exists (select from charging_interval i where i.id = d.interval_id);
  delete from call_session c where c.ended_at < began - interval '1 year'
    and not exists (select from call_request r where r.call_id = c.id);
  grant update on sealed to current_user;
  update sealed set forgotten = true where not forgotten;
  revoke update on sealed from current_user;
  delete from lifted;
end $$;
