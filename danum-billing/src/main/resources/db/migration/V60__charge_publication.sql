-- The outbox of charges (ADR 0051): a row for each charge that was created, and for each change of its state, in the same
-- transaction. Billing publishes the rows and deletes them. Without publication no row is written.
create table charge_publication (
  enabled boolean primary key check (enabled)
);
create table charge_outbox (
  id        bigint generated always as identity primary key,
  charge_id bigint not null references charge,
  state     text not null
);

create function charge_is_published() returns trigger language plpgsql as $$
begin
  if exists (select from charge_publication) then
    insert into charge_outbox (charge_id, state)
      select a.id, i.state from added a join charging_interval i on i.id = a.interval_id order by a.id;
  end if;
  return null;
end $$;
create trigger charge_is_published after insert on charge referencing new table as added
  for each statement execute function charge_is_published();

create function state_is_published() returns trigger language plpgsql as $$
begin
  if exists (select from charge_publication) then
    insert into charge_outbox (charge_id, state)
      select c.id, a.state from changed a join charge c on c.interval_id = a.id order by c.id;
  end if;
  return null;
end $$;
create trigger state_is_published after update on charging_interval referencing new table as changed
  for each statement execute function state_is_published();
