-- Makes the rows of tables stay: a row is added and never changed or deleted. afterMigrate then gives the application no such right.
-- Each migration with such a table calls it, in place of a loop of its own as in V9, V11, V100 and V110 to V112.
create function keep_rows(variadic kept regclass[]) returns void language plpgsql as $$
declare
  name text;
begin
  for name in select relname from pg_class where oid = any (kept) loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()', name || '_rows_stay', name);
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()', name || '_stays', name);
    execute format('revoke update, delete, truncate on %I from public, current_user', name);
  end loop;
end $$;
