-- Since when an account is not active: what it used until then is charged as always (ADR 0071). Null for an active account, and for
-- one that was suspended or closed before this version.
alter table account add column inactive_since timestamptz;
