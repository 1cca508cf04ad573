-- A request to the charging system is sent again as the same one: with its end-to-end identifier, its Event-Timestamp, and the T bit
-- unless the charging system has answered that it did not take it (RFC 6733 section 3). Requests that wait now may have been sent.
alter table ro_account
  add column pending_end_to_end integer not null default 0,           -- 0: the node gives it one
  add column pending_at         timestamptz not null default now(),   -- Event-Timestamp
  add column pending_unanswered boolean not null default true;        -- a copy may be at the charging system
