-- What a user does on the page of the own account.

-- A link that an operator gives to a user who has lost the password. The link's secret is stored as SHA-256 only; the link
-- is used once, and an older one ends when a newer one is made.
create table password_reset (
  token_digest bytea primary key check (length(token_digest) = 32),
  account      text not null references account,
  made_by      text not null references account,
  made_at      timestamptz not null,
  expires_at   timestamptz not null
);
create index password_reset_of_account on password_reset (account);

-- The user's name of a device, and when a bridge has heard of it last. Neither one is the bridges' business, so they are not
-- told of a change.
alter table device add column name text not null default '' check (length(name) <= 64);
alter table device add column last_seen_at timestamptz;
drop trigger device_changed on device;
create trigger device_changed after insert or delete on device for each row execute function subscriber_changed();
