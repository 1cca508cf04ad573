-- Posted rows are only ever added: by trigger against every role, and by privilege against the role that runs billing.
do $$
declare
  posted text;
begin
  foreach posted in array array['ledger_account', 'ledger_transaction', 'posting', 'top_up', 'tariff', 'snapt_report', 'charge'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()', posted || '_rows_stay', posted);
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()', posted || '_stays', posted);
    execute format('revoke update, delete, truncate on %I from public, current_user', posted);
  end loop;
end $$;
create trigger charging_interval_rows_stay before delete on charging_interval for each row execute function refuse_change();
create trigger charging_interval_stays before truncate on charging_interval for each statement execute function refuse_change();
revoke update, delete, truncate on charging_interval from public, current_user;
grant update (state) on charging_interval to current_user;

-- A foreign key locks the row that it refers to, as the owner of the tables, and PostgreSQL asks for the right to update
-- at least one column for that. These columns are granted for it; the triggers above refuse to change them.
grant update (created_at) on ledger_account to current_user;
grant update (posted_at) on ledger_transaction to current_user;
grant update (created_at) on tariff to current_user;
