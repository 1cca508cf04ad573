-- Another user may get the id of an erased one. A report of the former user that has waited in a spool or a topic must neither bill the
-- other one nor bring the name back (ADR 0085). A digest of the id is kept until no such report can come.
create table erased_id (
  digest     bytea primary key check (length(digest) = 32), -- SHA-256 of the id
  used_until timestamptz not null                           -- intervals that began before it are of the former user
);

alter table account add column charged_from timestamptz; -- as used_until; null: the id has had no other user
create function account_follows_erased() returns trigger language plpgsql as $$
begin
  new.charged_from := (select used_until from erased_id where digest = sha256(convert_to(new.id, 'UTF8')));
  return new;
end $$;
create trigger account_follows_erased before insert on account for each row execute function account_follows_erased();

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
  if kept_hash is not null then
    insert into lifted values (pg_current_xact_id());
    grant update (salt, genesis) on receipt_chain to current_user;
    update receipt_chain set salt = null, genesis = kept_hash where account = pseudonym;
    revoke update (salt, genesis) on receipt_chain from current_user;
    delete from lifted;
  end if;
  -- The sessions of a closed account end within a second.
  insert into erased_id values (sha256(convert_to(former, 'UTF8')), closed_at + interval '1 minute')
    on conflict (digest) do update set used_until = excluded.used_until;
  return null;
end $$;
