-- The audit log (ADR 0056). An entry is committed before its request is carried out; the changes are written by triggers, in
-- the transaction of the change; the outcome comes last. An entry without an outcome: billing stopped meanwhile.
create table audit_entry (
  id         bigint generated always as identity primary key,
  began_at   timestamptz not null,
  account    text not null references account,
  role       text not null,
  operation  text not null check (length(operation) between 1 and 64),
  method     text not null,
  path       text not null check (length(path) <= 1024),
  request_id text not null check (length(request_id) between 1 and 64)
);
create index audit_entry_by_time on audit_entry (began_at);
create index audit_entry_by_account on audit_entry (account, id);

create table audit_change (
  id         bigint generated always as identity primary key,
  entry_id   bigint not null references audit_entry,
  table_name text not null,
  action     text not null check (action in ('INSERT', 'UPDATE', 'DELETE')),
  before     jsonb,
  after      jsonb
);
create index audit_change_of_entry on audit_change (entry_id, id);

create table audit_outcome (
  entry_id bigint primary key references audit_entry,
  status   smallint not null check (status between 100 and 599),
  ended_at timestamptz not null
);

-- A row without secrets, and with its long texts cut: a stored report is not repeated here.
create function audit_image(of_row jsonb, other jsonb) returns jsonb language sql immutable as $$
  select jsonb_object_agg(key, case
    when value = 'null' then value
    when key ~ '(password_hash|digest|ha1|secret$|secret_)' and key <> 'sip_secret' then
      case when other -> key is distinct from value then '"(secret, changed)"' else '"(secret)"' end::jsonb
    when jsonb_typeof(value) = 'string' and length(value #>> '{}') > 1024 then to_jsonb('(' || length(value #>> '{}') || ' characters)')
    else value end)
  from jsonb_each(of_row)
$$;

create function audit_row() returns trigger language plpgsql as $$
declare
  old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
begin
  if old_row is distinct from new_row then
    insert into audit_change (entry_id, table_name, action, before, after)
      values (current_setting('viaduct.audit_entry')::bigint, tg_table_name, tg_op,
        audit_image(old_row, new_row), audit_image(new_row, old_row));
  end if;
  return null;
end $$;

-- The setting names the entry of the request that the connection serves; it is empty on all other connections.
do $$
declare
  audited text;
begin
  foreach audited in array array['account', 'allowance', 'credit', 'credit_block', 'device', 'discrepancy', 'discrepancy_note', 'held_report', 'interval_decision',
      'password_reset', 'payment', 'rerating', 'sip_credential', 'snapt', 'snapt_owner', 'surcharge', 'tariff', 'tariff_draft', 'top_up',
      'verification_run', 'voucher_batch', 'voucher_end', 'wallet'] loop
    execute format('create trigger %I after insert or update or delete on %I for each row'
      ' when (current_setting(''viaduct.audit_entry'', true) <> '''') execute function audit_row()', audited || '_audited', audited);
  end loop;
end $$;
-- Its other columns change with every report.
create trigger credit_account_audited after update of rules_version on credit_account for each row
  when (current_setting('viaduct.audit_entry', true) <> '') execute function audit_row();

do $$
declare
  kept text;
begin
  foreach kept in array array['audit_entry', 'audit_change', 'audit_outcome'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()', kept || '_rows_stay', kept);
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()', kept || '_stays', kept);
    execute format('revoke update, delete, truncate on %I from public, current_user', kept);
  end loop;
end $$;
-- Foreign keys lock the rows that they refer to; see V4.
grant update (began_at) on audit_entry to current_user;
