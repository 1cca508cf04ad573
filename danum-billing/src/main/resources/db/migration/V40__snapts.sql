-- The enrolled SNAPTs. A removed one keeps its row: its id is known, and a configuration does not enrol it again.
create table snapt (
  id          text primary key check (id ~ '^[A-Za-z0-9._-]{1,64}$'),
  report_key  bytea not null check (length(report_key) = 32),
  region      text not null check (length(region) <= 64),
  line_rate   bigint check (line_rate between 1 and 10000000000000),
  version     bigint not null default 1,
  enrolled_at timestamptz not null,
  removed_at  timestamptz
);

-- Who owns a SNAPT, and since when. An interval uses the owner at its start.
create table snapt_owner (
  number   bigint generated always as identity primary key,
  snapt_id text not null references snapt,
  since    timestamptz not null,
  owner    text not null check (owner ~ '^[A-Za-z0-9._-]{1,64}$'),
  set_by   text not null
);
create index snapt_owner_by_snapt on snapt_owner (snapt_id, number);
create trigger snapt_owner_rows_stay before update or delete on snapt_owner for each row execute function refuse_change();
create trigger snapt_owner_stays before truncate on snapt_owner for each statement execute function refuse_change();
revoke update, delete, truncate on snapt_owner from public, current_user;

-- Tells every billing instance, at commit, which SNAPT is not as it was.
create function snapt_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('snapt', new.id);
  return null;
end $$;
create trigger snapt_changed after insert or update on snapt for each row execute function snapt_changed();

create function snapt_price_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('snapt', s.id) from snapt s
    where s.removed_at is null
      and new.owner = (select o.owner from snapt_owner o where o.snapt_id = s.id order by o.number desc limit 1);
  return null;
end $$;
create trigger snapt_price_changed after insert on surcharge for each row execute function snapt_price_changed();
