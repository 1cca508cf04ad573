-- Trials of a tariff on a past time that run in the background, and their results.
create table tariff_trial (
  id            bigint generated always as identity primary key,
  requested_by  text not null,
  name          text not null,           -- of the tariff, for people
  account       text,                    -- null: all
  service_class text,                    -- null: all
  from_at       timestamptz not null,
  to_at         timestamptz not null check (from_at < to_at),
  started_at    timestamptz not null,
  covered_to    timestamptz not null,    -- what began before it has been rated
  stopped       boolean not null default false,
  finished_at   timestamptz,
  failure       text not null default '',
  result        json
);
create index tariff_trial_open on tariff_trial (started_at) where finished_at is null;

-- A result names the accounts that would pay most less or more, so it goes with an account that is erased.
alter function erase_account(text, text) rename to erase_account_and_calls;
create function erase_account(former text, pseudonym text) returns text language plpgsql as $$
declare
  reason text := erase_account_and_calls(former, pseudonym);
begin
  if reason is null then
    delete from tariff_trial where account = former or requested_by = former
      or exists (select from json_array_elements(result -> 'changes') c where c ->> 'account' = former);
  end if;
  return reason;
end $$;
