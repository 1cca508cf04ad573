-- A user is an account with what it may use: a page password, SIP credentials, devices (ADR 0025). An account that was
-- imported with digests only has no password; a closed one keeps nothing but its id, which the ledger names.
alter table account alter column password_hash drop not null;
alter table account
  add column state text not null default 'active' check (state in ('active', 'suspended', 'closed')),
  add column sip_secret text not null default 'none' check (sip_secret in ('none', 'shared', 'separate')),
  add constraint account_closed_has_no_secret check (state <> 'closed' or (password_hash is null and sip_secret = 'none'));

-- H(A1) of digest authentication (RFC 7616), sealed by AES-256-GCM: 12 bytes of nonce, ciphertext, 16 bytes of tag.
create table sip_credential (
  account    text primary key references account,
  realm      text not null,                  -- part of the digest: another domain needs other credentials
  key_id     text not null check (key_id ~ '^[0-9a-f]{16}$'),
  ha1_sha256 bytea check (length(ha1_sha256) = 60),
  ha1_md5    bytea check (length(ha1_md5) = 44),
  changed_at timestamptz not null,
  check (ha1_sha256 is not null or ha1_md5 is not null)
);

-- Keys that tokens may be bound to; their number per account is limited.
create table device (
  account    text not null references account,
  public_key bytea not null check (length(public_key) = 32),
  added_at   timestamptz not null,
  primary key (account, public_key)
);

-- Tells every billing instance, at commit, which subscriber is not as it was.
create function subscriber_changed() returns trigger language plpgsql as $$
declare
  changed jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
begin
  perform pg_notify('subscriber', case tg_table_name when 'account' then changed ->> 'id' else changed ->> 'account' end);
  return null;
end $$;

create trigger account_changed after insert or delete or update of state on account
  for each row execute function subscriber_changed();
create trigger sip_credential_changed after insert or update or delete on sip_credential
  for each row execute function subscriber_changed();
create trigger device_changed after insert or update or delete on device
  for each row execute function subscriber_changed();
