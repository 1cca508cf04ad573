-- The addresses of the media of calls are personal data: they go with those of flows, and with an erased account.
alter function drop_personal_data(bigint) rename to drop_personal_months;
create function drop_personal_data(until bigint) returns boolean language plpgsql as $$
begin
  if not drop_personal_months(until) then
    return false;
  end if;
  delete from call_media m using call_session c where c.id = m.call_id and c.ended_at < month_start(until);
  return true;
end $$;

create or replace function erase_account(former text, pseudonym text) returns text language plpgsql as $$
declare
  reason text;
begin
  perform pg_advisory_xact_lock(x'7669616472637074'::bigint);
  reason := erase_sealed_account(former, pseudonym);
  if reason is null then
    delete from call_media where call_id in (select id from call_session where account = pseudonym);
  end if;
  return reason;
end $$;
