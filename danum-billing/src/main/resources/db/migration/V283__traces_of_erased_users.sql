-- An erasure also finds operators by the columns that name them without a foreign key, the device keys of charges, and what the audit log
-- has told about the person (ADR 0085). Reports of devices, as signed, go with those of SNAPTs.
create or replace function account_columns() returns table (of_table regclass, column_name name, prefix text) language sql stable as $$
  select conrelid::regclass, attname, case when confrelid = 'ledger_account'::regclass then 'USER:' else '' end
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'f' and conparentid = 0 and cardinality(conkey) = 1
      and confrelid in ('account'::regclass, 'credit_account'::regclass, 'ledger_account'::regclass)
  union values ('held_report'::regclass, 'account'::name, ''), ('open_wallet', 'account', ''), ('discrepancy', 'account', ''), ('credit_quota', 'account', ''),
    ('receipt_chain', 'account', ''), ('receipt_link', 'account', ''), ('receipt_waiting', 'account', ''),
    ('allowance', 'changed_by', ''), ('api_token', 'revoked_by', ''), ('credit_block', 'decided_by', ''), ('external_identity', 'linked_by', ''),
    ('held_report', 'decided_by', ''), ('interval_decision', 'decided_by', ''), ('snapt_invitation', 'made_by', ''), ('snapt_owner', 'set_by', ''),
    ('surcharge', 'created_by', ''), ('tariff', 'created_by', ''), ('verification_run', 'requested_by', ''), ('wallet', 'created_by', '')
$$;
create index interval_decision_by_operator on interval_decision (decided_by) where decided_by is not null;

-- Columns of audited tables that tell about the person whose account the row names, beside its id.
create function personal_columns() returns table (of_table text, column_name text) language sql immutable as $$
  values ('account', 'display_name'), ('api_token', 'name'), ('device', 'name'), ('device', 'public_key'), ('external_identity', 'issuer'),
    ('external_identity', 'subject'), ('held_report', 'envelope'), ('sip_address', 'address'), ('webhook_endpoint', 'description'),
    ('webhook_endpoint', 'url')
$$;

-- A row of the audit log under the pseudonym.
create or replace function erased_image(of_row jsonb, former text, pseudonym text) returns jsonb language sql immutable as $$
  select jsonb_object_agg(key, case when value = to_jsonb(former) then to_jsonb(pseudonym)
    when value = to_jsonb('USER:' || former) then to_jsonb('USER:' || pseudonym) else value end)
  from jsonb_each(of_row)
$$;

-- A row of the audit log without what tells about its person.
create function image_without_person(name text, of_row jsonb) returns jsonb language sql immutable strict as $$
  select jsonb_object_agg(key, case when exists (select from personal_columns() p where p.of_table = name and p.column_name = key)
    then '""'::jsonb else value end)
  from jsonb_each(of_row)
$$;

create or replace function erase_account(former text, pseudonym text) returns text language plpgsql as $$
declare
  reason text;
  kept_hash bytea;
  closed_at timestamptz;
begin
  perform pg_advisory_xact_lock(x'7669616472637074'::bigint);
  select receipt_genesis(account, salt) into kept_hash from receipt_chain where account = former and not erased;
  select coalesce(inactive_since, now()) into closed_at from account where id = former;
  reason := erase_sealed_account(former, pseudonym);
  if reason is not null then
    return reason;
  end if;
  delete from call_media where call_id in (select id from call_session where account = pseudonym);
  insert into lifted values (pg_current_xact_id());
  grant update (salt, genesis) on receipt_chain to current_user;
  update receipt_chain set salt = null, genesis = kept_hash where account = pseudonym and kept_hash is not null;
  revoke update (salt, genesis) on receipt_chain from current_user;
  grant update (device) on charge to current_user;
  update charge set device = null where account = pseudonym and device is not null;
  revoke update (device) on charge from current_user;
  update audit_entry set path = regexp_replace(path, '(/accounts/[^/]*/(sip-addresses|devices)/).+$', '\1-')
    where path ~ ('/accounts/' || pseudonym || '/(sip-addresses|devices)/.');
  update audit_change set before = image_without_person(table_name, before), after = image_without_person(table_name, after)
    where table_name in (select of_table from personal_columns())
      and coalesce(after, before) ->> case table_name when 'account' then 'id' else 'account' end = pseudonym;
  delete from lifted;
  -- The sessions of a closed account end within a second.
  insert into erased_id values (sha256(convert_to(former, 'UTF8')), closed_at + interval '1 minute')
    on conflict (digest) do update set used_until = excluded.used_until;
  return null;
end $$;

create or replace function device_report_moves_forward() returns trigger language plpgsql as $$
begin
  if new.envelope = '' and old.envelope <> '' and to_jsonb(new) - 'envelope' = to_jsonb(old) - 'envelope' then
    return new;
  end if;
  if to_jsonb(new) - 'state' - 'interval_id' <> to_jsonb(old) - 'state' - 'interval_id'
      or (new.interval_id is distinct from old.interval_id and (old.interval_id is not null or new.state <> 'FINAL_PROVISIONAL'))
      or (old.state, new.state) not in (('PROVISIONAL', 'FINAL_PROVISIONAL'), ('PROVISIONAL', 'FINAL'), ('PROVISIONAL', 'DISCREPANT'),
        ('PROVISIONAL', 'UNCHARGED'), ('FINAL_PROVISIONAL', 'FINAL'), ('FINAL_PROVISIONAL', 'DISCREPANT'),
        ('UNCHARGED', 'FINAL'), ('UNCHARGED', 'DISCREPANT')) then
    raise exception 'device report % must not go from % to %', old.id, old.state, new.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create index device_report_as_signed on device_report (ended_at) where envelope <> '';

-- A report that still waits for its charge keeps its content: the charge is made of it.
create or replace function drop_personal_data(until bigint) returns boolean language plpgsql as $$
begin
  if not drop_personal_months(until) then
    return false;
  end if;
  delete from call_media m using call_session c where c.id = m.call_id and c.ended_at < month_start(until);
  grant update (envelope) on device_report to current_user;
  update device_report set envelope = '' where ended_at < month_start(until) and envelope <> '' and state not in ('PROVISIONAL', 'FINAL_PROVISIONAL');
  revoke update (envelope) on device_report from current_user;
  return true;
end $$;
