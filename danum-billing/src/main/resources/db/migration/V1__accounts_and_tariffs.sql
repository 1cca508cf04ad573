-- Who may log in and is billed. The password is a bcrypt hash.
create table account (
  id            text primary key check (id ~ '^[A-Za-z0-9._-]{1,64}$'),
  display_name  text not null check (length(display_name) <= 128),
  role          text not null check (role in ('user', 'operator')),
  password_hash text not null,
  created_at    timestamptz not null
);

-- A login. The token itself is never stored: only its SHA-256.
create table login_session (
  token_digest bytea primary key check (length(token_digest) = 32),
  account      text not null references account,
  created_at   timestamptz not null,
  expires_at   timestamptz not null
);
create index login_session_expiry on login_session (expires_at);

-- A version is never changed; an interval uses the one in force at its start.
create table tariff (
  version        integer primary key check (version > 0),
  effective_from timestamptz not null,
  document       json not null,
  created_by     text not null,
  created_at     timestamptz not null
);
