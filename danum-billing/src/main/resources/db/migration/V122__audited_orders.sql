-- An operator's order to send a delivery again is a change of the delivery. What the sender writes is none: it serves no request.
create trigger webhook_delivery_audited after update on webhook_delivery for each row
  when (current_setting('viaduct.audit_entry', true) <> '') execute function audit_row();

-- Orders of operators about drains. The pages store one before they ask the bridge, which has no accounts.
create table drain_order (
  id               bigint generated always as identity primary key,
  snapt            text not null check (snapt ~ '^[A-Za-z0-9._-]{1,64}$'),
  action           text not null check (action in ('drain', 'undrain')),
  deadline_seconds bigint check (deadline_seconds between 0 and 2678400),
  ordered_by       text not null references account,
  ordered_at       timestamptz not null
);
create trigger drain_order_audited after insert on drain_order for each row
  when (current_setting('viaduct.audit_entry', true) <> '') execute function audit_row();
create trigger drain_order_rows_stay before update or delete on drain_order for each row execute function refuse_change();
create trigger drain_order_stays before truncate on drain_order for each statement execute function refuse_change();
