-- A device reports each interval too (ADR 0062). Its report is provisional until the SNAPT's report of the same interval comes.
-- Without that report the device's is charged, as an interval of its own whose session is written 'device:ACCOUNT:SESSION': no SNAPT can
-- use that name, so both reports can be billed, and each only once.
create table device_report (
  id          bigint generated always as identity primary key,
  digest      bytea not null check (length(digest) = 32), -- of the report's bytes
  envelope    bytea not null,                             -- SignedDeviceReport
  snapt_id    text not null,
  session_id  text not null,
  epoch       bigint not null check (epoch >= 0),
  sequence    bigint not null check (sequence >= 0),
  account     text not null references account,
  device      text not null,                              -- public key, base64url
  started_at  timestamptz not null,
  ended_at    timestamptz not null,
  received_at timestamptz not null,
  clock       text not null check (clock in ('GOOD', 'AHEAD', 'BEHIND')),
  bytes       bigint not null check (bytes >= 0),         -- inner, both directions
  expected_microdenarii bigint not null,                  -- what it costs under the tariff in force when it came
  state       text not null check (state in ('PROVISIONAL', 'FINAL_PROVISIONAL', 'FINAL', 'DISCREPANT', 'UNCHARGED')),
  interval_id bigint,                                     -- the charging interval that bills it
  -- A device can name any session; it can neither bill another account nor take the place of the other account's report.
  unique (snapt_id, session_id, epoch, sequence, account)
);
create index device_report_undecided on device_report (state, ended_at) where state in ('PROVISIONAL', 'FINAL_PROVISIONAL');
create index device_report_by_account on device_report (account, id);
create index device_report_by_end on device_report (ended_at) where state = 'FINAL';

create function device_report_moves_forward() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'state' - 'interval_id' <> to_jsonb(old) - 'state' - 'interval_id'
      or (new.interval_id is distinct from old.interval_id and (old.interval_id is not null or new.state <> 'FINAL_PROVISIONAL'))
      or (old.state, new.state) not in (('PROVISIONAL', 'FINAL_PROVISIONAL'), ('PROVISIONAL', 'FINAL'), ('PROVISIONAL', 'DISCREPANT'),
        ('PROVISIONAL', 'UNCHARGED'), ('FINAL_PROVISIONAL', 'FINAL'), ('FINAL_PROVISIONAL', 'DISCREPANT'),
        ('UNCHARGED', 'FINAL'), ('UNCHARGED', 'DISCREPANT')) then
    raise exception 'device report % must not go from % to %', old.id, old.state, new.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
insert into personal_rows values ('device_report');
create trigger device_report_state before update on device_report for each row execute function device_report_moves_forward();
create trigger device_report_stays before truncate on device_report for each statement execute function refuse_change();
revoke update, truncate on device_report from public, current_user;
grant update (state, interval_id) on device_report to current_user;

-- FINAL_PROVISIONAL: billed by the device's report alone, until no report of the SNAPT can come. Then CORRECTED; or VOID, if
-- the SNAPT's report comes and is billed in its place.
alter table charging_interval drop constraint charging_interval_state_check;
alter table charging_interval add constraint charging_interval_state_check
  check (state in ('PROVISIONAL', 'CORRECTED', 'FINAL', 'ADJUSTED', 'VOID', 'FINAL_PROVISIONAL'));
create or replace function charging_interval_moves_forward() returns trigger language plpgsql as $$
begin
  if exists (select from lifted where transaction = pg_current_xact_id()) then
    return new;
  end if;
  if to_jsonb(new) - 'state' <> to_jsonb(old) - 'state' or (old.state, new.state) not in
      (('PROVISIONAL', 'CORRECTED'), ('PROVISIONAL', 'ADJUSTED'), ('PROVISIONAL', 'VOID'), ('CORRECTED', 'FINAL'),
       ('FINAL_PROVISIONAL', 'CORRECTED'), ('FINAL_PROVISIONAL', 'VOID')) then
    raise exception 'charging interval % must not go from % to %', old.id, old.state, new.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create index charging_interval_by_device on charging_interval (account) where state = 'FINAL_PROVISIONAL';

-- A charge that may still be replaced as a whole is not refunded in part.
create function refund_is_of_a_lasting_charge() returns trigger language plpgsql as $$
begin
  if exists (select from charge c join charging_interval i on i.id = c.interval_id
      where c.id = new.charge_id and i.state = 'FINAL_PROVISIONAL') then
    raise exception 'charge % may still be replaced by that of the SNAPT''s report', new.charge_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger refund_is_of_a_lasting_charge before insert on credit for each row
  when (new.charge_id is not null) execute function refund_is_of_a_lasting_charge();

-- Counts of the session so far, at a receipt that was refused; or those of one interval, by the reports of both ends.
alter table discrepancy add column basis text not null default 'SESSION' check (basis in ('SESSION', 'INTERVAL'));
