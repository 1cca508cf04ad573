-- A bill that a re-rating makes again is published, too (ADR 0051): the outbox says which bill of a charge was meant.
alter table charge_outbox add column revision integer not null default 0 check (revision >= 0);

create or replace function state_is_published() returns trigger language plpgsql as $$
begin
  if exists (select from charge_publication) then
    insert into charge_outbox (charge_id, state, revision)
      select c.id, a.state, coalesce(n.revision, 0) from changed a join charge c on c.interval_id = a.id
      left join newest_revision n on n.interval_id = a.id order by c.id;
  end if;
  return null;
end $$;

-- The transaction that makes a bill again has locked its interval, so the state does not change meanwhile.
create function revision_is_published() returns trigger language plpgsql as $$
begin
  if exists (select from charge_publication) then
    insert into charge_outbox (charge_id, state, revision)
      select c.id, i.state, a.revision from added a join charging_interval i on i.id = a.interval_id
      join charge c on c.interval_id = a.interval_id order by c.id;
  end if;
  return null;
end $$;
create trigger revision_is_published after insert on report_revision referencing new table as added
  for each statement execute function revision_is_published();

-- Bills that were made again before this version were not published.
insert into charge_outbox (charge_id, state, revision)
  select c.id, i.state, n.revision from newest_revision n join charging_interval i on i.id = n.interval_id
  join charge c on c.interval_id = n.interval_id
  where exists (select from charge_publication) order by c.id;
