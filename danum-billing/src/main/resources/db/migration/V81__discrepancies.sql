-- Both ends count a session. Where their counts differ by more than 5 %, an operator looks at it; nothing is averaged (ADR 0054).
create table discrepancy (
  id           bigint generated always as identity primary key,
  digest       bytea not null unique check (length(digest) = 32), -- of the SNAPT's report
  snapt_id     text not null,
  session_id   text not null,
  epoch        bigint not null,
  sequence     bigint not null,
  account      text not null,
  started_at   timestamptz not null,
  snapt_bytes  numeric(20) not null,  -- of the session so far, both directions
  device_bytes numeric(20) not null,  -- likewise, by the device's own count
  opened_at    timestamptz not null,
  state        text not null default 'OPEN' check (state in ('OPEN', 'INVESTIGATED', 'CLOSED'))
);
create index discrepancy_by_state on discrepancy (state, id);

create table discrepancy_note (
  discrepancy_id bigint not null references discrepancy,
  state          text not null check (state in ('INVESTIGATED', 'CLOSED')),
  note           text not null check (length(note) between 1 and 256),
  noted_by       text not null references account,
  noted_at       timestamptz not null,
  primary key (discrepancy_id, state)
);

create function discrepancy_moves_forward() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'state' <> to_jsonb(old) - 'state' or (old.state, new.state) not in
      (('OPEN', 'INVESTIGATED'), ('OPEN', 'CLOSED'), ('INVESTIGATED', 'CLOSED')) then
    raise exception 'discrepancy % must not go from % to %', old.id, old.state, new.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger discrepancy_state before update on discrepancy for each row execute function discrepancy_moves_forward();
create trigger discrepancy_rows_stay before delete on discrepancy for each row execute function refuse_change();
create trigger discrepancy_stays before truncate on discrepancy for each statement execute function refuse_change();
create trigger discrepancy_note_rows_stay before update or delete on discrepancy_note for each row execute function refuse_change();
create trigger discrepancy_note_stays before truncate on discrepancy_note for each statement execute function refuse_change();
revoke delete, truncate on discrepancy from public, current_user;
revoke update, delete, truncate on discrepancy_note from public, current_user;
