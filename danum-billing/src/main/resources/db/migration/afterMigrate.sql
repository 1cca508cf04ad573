-- The rights of the application's role (ADR 0052). Flyway runs this after each migration, as the owner's role, so that a new
-- table, or another name of the role, needs no migration of its own. Without a role of its own for the application nothing is
-- granted: the owner then runs billing, and V4 has revoked from it what can be revoked from an owner.
--
-- The triggers that refuse a change say which rows stay: a table with such a trigger against update or delete gets no right
-- to it. Nobody gets the right to truncate. Where single columns may be updated, only these are granted. Views are read. Partitions are
-- used through their table only: triggers of statements are there.
do $$
declare
  application text := nullif(current_setting('viaduct.application', true), '');
  sealed record;
  columns text;
begin
  if application is null or application = current_user then
    return;
  end if;
  perform pg_advisory_xact_lock(1919247989); -- two instances that start together would change the same rows of pg_class
  if not has_schema_privilege(application, current_schema(), 'usage') then
    execute format('grant usage on schema %I to %I', current_schema(), application);
  end if;
  for sealed in
    select c.oid, c.relname as name, c.relispartition as is_partition, c.relkind = 'v' or c.relname in ('flyway_schema_history', 'billing_month', 'lifted', 'sealed', 'sealed_report') as is_read_only,
      coalesce(bool_or(t.tgtype & 16 <> 0), false) as keeps_values, coalesce(bool_or(t.tgtype & 8 <> 0), false) as keeps_rows
    from pg_class c
    left join pg_trigger t on t.tgrelid = c.oid and t.tgfoid = 'refuse_change()'::regprocedure and t.tgtype & 1 <> 0
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v') group by c.oid, c.relname
  loop
    execute format('revoke all on %I from %I', sealed.name, application);
    continue when sealed.is_partition;
    execute format('grant select on %I to %I', sealed.name, application);
    continue when sealed.is_read_only;
    execute format('grant insert on %I to %I', sealed.name, application);
    if not sealed.keeps_values then
      select string_agg(quote_ident(attname), ', ') into columns
        from pg_attribute where attrelid = sealed.oid and not attisdropped
          and exists (select from aclexplode(attacl) a where a.privilege_type = 'UPDATE' and a.grantee = current_user::regrole);
      execute format('grant update %s on %I to %I', coalesce('(' || columns || ')', ''), sealed.name, application);
    end if;
    if not sealed.keeps_rows then
      execute format('grant delete on %I to %I', sealed.name, application);
    end if;
  end loop;
  execute format('grant usage, select on all sequences in schema %I to %I', current_schema(), application);
end $$;
