-- Codes of an authenticator app as the second factor of a log-in (RFC 6238, ADR 0061). The secret is sealed by the credential
-- key, as SIP credentials are, because codes cannot be computed from a digest.
create table second_factor (
  account       text primary key references account,
  key_id        text not null,
  secret_sealed bytea not null,
  created_at    timestamptz not null,
  confirmed_at  timestamptz,               -- null until the first right code: until then no log-in asks for one
  last_step     bigint not null default 0, -- time step of the last used code; no code of it or before is taken again
  wrong_codes   integer not null default 0 check (wrong_codes >= 0),
  blocked_until timestamptz
);

-- Codes for a log-in without the app, each once: SHA-256 of 80 random bits.
create table recovery_code (
  account     text not null references second_factor on delete cascade,
  code_digest bytea not null check (length(code_digest) = 32),
  primary key (account, code_digest)
);

-- The right to send a code: the password was right. Only the SHA-256 of the token is stored.
create table login_challenge (
  token_digest bytea primary key check (length(token_digest) = 32),
  account      text not null references account,
  expires_at   timestamptz not null
);
create index login_challenge_expiry on login_challenge (expires_at);

do $$
declare
  audited text;
begin
  foreach audited in array array['second_factor', 'recovery_code'] loop
    execute format('create trigger %I after insert or update or delete on %I for each row'
      ' when (current_setting(''viaduct.audit_entry'', true) <> '''') execute function audit_row()', audited || '_audited', audited);
  end loop;
end $$;

-- A log-in that began with another password does not go on.
create function password_ends_challenges() returns trigger language plpgsql as $$
begin
  delete from login_challenge where account = new.id;
  return null;
end $$;
create trigger account_password_ends_challenges after update of password_hash on account for each row
  when (old.password_hash is distinct from new.password_hash) execute function password_ends_challenges();

-- A closed account keeps nothing but its id, see V6.
create function account_forgets_second_factor() returns trigger language plpgsql as $$
begin
  delete from login_challenge where account = new.id;
  delete from second_factor where account = new.id;
  return null;
end $$;
create trigger account_closed_forgets_second_factor after update of state on account for each row
  when (new.state = 'closed') execute function account_forgets_second_factor();

insert into personal_rows values ('second_factor'), ('login_challenge');
