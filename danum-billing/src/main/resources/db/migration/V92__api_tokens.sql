-- Tokens for programs (ADR 0056). A token has at most the rights of its account, and of these only those of its scopes. The
-- token itself is never stored: only its SHA-256. A revoked token keeps its row.
create table api_token (
  id           bigint generated always as identity primary key,
  account      text not null references account,
  name         text not null check (length(name) between 1 and 64),
  token_digest bytea not null unique check (length(token_digest) = 32),
  scopes       text[] not null check (cardinality(scopes) between 1 and 16),
  created_at   timestamptz not null,
  expires_at   timestamptz not null check (expires_at > created_at),
  last_used_at timestamptz,
  revoked_at   timestamptz,
  revoked_by   text
);
create index api_token_of_account on api_token (account, id);
create trigger api_token_audited after insert or update or delete on api_token for each row
  when (current_setting('viaduct.audit_entry', true) <> '') execute function audit_row();
