-- Log-ins by an OpenID Connect provider (ADR 0061). The provider's issuer and subject identify a person for ever; names and
-- e-mail addresses do not. An account is linked when the log-in makes it, or by an operator.
create table external_identity (
  issuer    text not null check (length(issuer) between 1 and 1024),
  subject   text not null check (length(subject) between 1 and 255),
  account   text not null references account,
  linked_at timestamptz not null,
  linked_by text not null,               -- account of the operator; the issuer if the log-in made the account
  primary key (issuer, subject),
  unique (account, issuer)
);
create trigger external_identity_audited after insert or update or delete on external_identity for each row
  when (current_setting('viaduct.audit_entry', true) <> '') execute function audit_row();

-- ID tokens that were used: each begins one session. A row is deleted when its token would be refused for its age anyway.
create table used_id_token (
  token_digest bytea primary key check (length(token_digest) = 32),
  expires_at   timestamptz not null
);
create index used_id_token_expiry on used_id_token (expires_at);

-- The provider asks for second factors of its own.
alter table login_session add column federated boolean not null default false;

create or replace function account_forgets_second_factor() returns trigger language plpgsql as $$
begin
  delete from login_challenge where account = new.id;
  delete from second_factor where account = new.id;
  delete from external_identity where account = new.id;
  return null;
end $$;

insert into personal_rows values ('external_identity');
