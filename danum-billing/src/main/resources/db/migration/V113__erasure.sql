-- A user is erased: the account's id becomes a pseudonym in every row, and what is known of the person is deleted (ADR 0059). Amounts,
-- times and identities stay as they are. The former id is kept nowhere.
create or replace function charging_interval_moves_forward() returns trigger language plpgsql as $$
begin
  if exists (select from lifted where transaction = pg_current_xact_id()) then
    return new;
  end if;
  if to_jsonb(new) - 'state' <> to_jsonb(old) - 'state' or (old.state, new.state) not in
      (('PROVISIONAL', 'CORRECTED'), ('PROVISIONAL', 'ADJUSTED'), ('PROVISIONAL', 'VOID'), ('CORRECTED', 'FINAL')) then
    raise exception 'charging interval % must not go from % to %', old.id, old.state, new.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create or replace function discrepancy_moves_forward() returns trigger language plpgsql as $$
begin
  if exists (select from lifted where transaction = pg_current_xact_id()) then
    return new;
  end if;
  if to_jsonb(new) - 'state' <> to_jsonb(old) - 'state' or (old.state, new.state) not in
      (('OPEN', 'INVESTIGATED'), ('OPEN', 'CLOSED'), ('INVESTIGATED', 'CLOSED')) then
    raise exception 'discrepancy % must not go from % to %', old.id, old.state, new.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create or replace function held_report_is_decided_once() returns trigger language plpgsql as $$
begin
  if exists (select from lifted where transaction = pg_current_xact_id()) then
    return new;
  end if;
  if old.state <> 'HELD' and not (new.envelope = '' and to_jsonb(new) - 'envelope' = to_jsonb(old) - 'envelope') then
    raise exception 'held report % is %, which stays', old.id, old.state using errcode = 'check_violation';
  end if;
  return new;
end $$;

-- Why an account cannot be erased now; null if it can.
create function not_erasable(former text) returns text language sql stable as $$
  select case
    when not exists (select from account where id = former) then 'unknown'
    when exists (select from account where id = former and state <> 'closed') then 'not_closed'
    when exists (select from charging_interval where account = former and state in ('PROVISIONAL', 'CORRECTED', 'FINAL_PROVISIONAL')) then 'not_final'
    when exists (select from held_report where account = former and state = 'HELD') then 'held'
    when exists (select from snapt_owner where owner = former) then 'snapt_owner'
    when exists (select from open_day where account = former) then 'caps'
    when exists (select from charge_outbox o join charge c on c.id = o.charge_id where c.account = former) then 'unpublished'
    when exists (select from charging_interval i join cdr_interval k on k.interval_id = i.id
      left join cdr_file f on f.sequence = k.file_sequence where i.account = former and f.written_at is null) then 'not_exported'
  end
$$;

-- The columns that name an account by a foreign key, and with `USER:` before it those of the ledger.
create function account_columns() returns table (of_table regclass, column_name name, prefix text) language sql stable as $$
  select conrelid::regclass, attname, case when confrelid = 'ledger_account'::regclass then 'USER:' else '' end
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'f' and conparentid = 0 and cardinality(conkey) = 1
      and confrelid in ('account'::regclass, 'credit_account'::regclass, 'ledger_account'::regclass)
  union values ('held_report'::regclass, 'account'::name, ''), ('open_wallet', 'account', ''), ('discrepancy', 'account', ''), ('credit_quota', 'account', ''),
    ('receipt_chain', 'account', ''), ('receipt_link', 'account', ''), ('receipt_waiting', 'account', '')
$$;

-- The first link of a chain hashes the account's name, so it cannot be recomputed afterwards.
alter table receipt_chain add column erased boolean not null default false;

-- Tables whose rows of an account are deleted with the person; later versions add theirs.
create table personal_rows (
  of_table regclass primary key
);
insert into personal_rows values ('refused_report'), ('webhook_event'), ('api_token'), ('login_session'), ('password_reset');

-- Erases a closed account, in one transaction. The owner's role calls it. Returns the reason why it cannot, or null.
create function erase_account(former text, pseudonym text) returns text language plpgsql as $$
declare
  reason text;
  x record;
  revokes text[] := '{}';
  command text;
begin
  perform 1 from account where id = former for update;
  reason := not_erasable(former);
  if reason is not null then
    return reason;
  end if;
  -- A change of the name is no change of a state.
  alter table charging_interval disable trigger state_is_published;
  insert into lifted values (pg_current_xact_id());

  insert into account (id, display_name, role, password_hash, created_at, state)
    select pseudonym, '', role, null, created_at, 'closed' from account where id = former;
  insert into ledger_account select 'USER:' || pseudonym, kind, created_at from ledger_account where name = 'USER:' || former;
  update credit_account n set balance_microdenarii = o.balance_microdenarii from credit_account o
    where n.account = pseudonym and o.account = former;
  grant delete on flow_peer, report_original, account, ledger_account to current_user;
  delete from flow_peer where interval_id in (select id from charging_interval where account = former);
  delete from report_original where interval_id in (select id from charging_interval where account = former);
  update held_report set envelope = '' where account = former;
  for x in select of_table from personal_rows loop
    execute format('delete from %s where account = $1', x.of_table) using former;
  end loop;
  update webhook_endpoint set state = 'DELETED', url = '', description = '' where account = former;
  -- A right to update is needed also to lock the rows that a foreign key refers to; see V4. None of them stays: afterMigrate
  -- would give it to the application.
  for x in select * from account_columns() loop
    if not has_column_privilege(x.of_table, x.column_name, 'update') then
      execute format('grant update (%I) on %s to current_user', x.column_name, x.of_table);
      revokes := revokes || format('revoke update (%I) on %s from current_user', x.column_name, x.of_table);
    end if;
  end loop;
  for x in select * from account_columns() where of_table <> 'credit_account'::regclass loop
    execute format('update %s set %I = $2 where %I = $1', x.of_table, x.column_name, x.column_name)
      using x.prefix || former, x.prefix || pseudonym;
  end loop;
  grant update (erased) on receipt_chain to current_user;
  update receipt_chain set erased = true where account = pseudonym;
  revoke update (erased) on receipt_chain from current_user;
  delete from credit_account where account = former;
  delete from account where id = former;
  delete from ledger_account where name = 'USER:' || former;
  revoke delete on flow_peer, report_original, ledger_account from current_user;
  foreach command in array revokes loop
    execute command;
  end loop;

  -- The audit log keeps who did what when, of the pseudonym.
  grant update (path) on audit_entry to current_user;
  grant update (before, after) on audit_change to current_user; -- not for the application: its triggers refuse every change
  update audit_entry set path = regexp_replace(path, '/' || replace(former, '.', '\.') || '(?=/|$)', '/' || pseudonym)
    where path ~ ('/' || replace(former, '.', '\.') || '(/|$)');
  update audit_change set before = erased_image(before, former, pseudonym), after = erased_image(after, former, pseudonym)
    where before::text like '%"' || former || '"%' or after::text like '%"' || former || '"%';
  delete from answered_request where answer::text like '%"' || former || '"%';
  delete from lifted;
  alter table charging_interval enable trigger state_is_published;
  return null;
end $$;

-- A row of the audit log without the person: each value that is the former id is the pseudonym, names are empty.
create function erased_image(of_row jsonb, former text, pseudonym text) returns jsonb language sql immutable as $$
  select jsonb_object_agg(key, case when value = to_jsonb(former) then to_jsonb(pseudonym)
    when value = to_jsonb('USER:' || former) then to_jsonb('USER:' || pseudonym)
    when key in ('display_name', 'name') then '""'::jsonb else value end)
  from jsonb_each(of_row)
$$;
