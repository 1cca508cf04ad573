-- Accounting records by RADIUS count a session from its begin (ADR 0074). diameter_session is its name in either protocol.
alter table accounting_session add column began_at timestamptz not null default now(); -- an instance of the version before tells none
update accounting_session set began_at = heard_at;
alter table accounting_session add column octets_up bigint not null default 0;
alter table accounting_session add column octets_down bigint not null default 0;

-- Sessions of users in access networks, as their access servers have counted them. Counts only grow, so a copy of a record changes
-- nothing. An Acct-Session-Id may come again after its session has ended: then it is another session.
create table access_session (
  id          bigint generated always as identity primary key,
  network     text not null,            -- name of the RADIUS client
  server      text not null,            -- NAS-Identifier or address of the access server; a client may be a proxy of several
  session     text not null,            -- Acct-Session-Id
  account     text not null references account,
  device      text not null,            -- Calling-Station-Id
  address     text not null,            -- Framed-IP-Address or Framed-IPv6-Address
  started_at  timestamptz not null,
  heard_at    timestamptz not null,     -- time of the latest record
  ended_at    timestamptz,
  ended_by    text,                     -- Acct-Terminate-Cause
  octets_up   bigint not null check (octets_up >= 0),
  octets_down bigint not null check (octets_down >= 0),
  check ((ended_at is null) = (ended_by is null))
);
create index access_session_by_name on access_session (network, server, session, id);
create index access_session_open on access_session (network, server) where ended_at is null;
create index access_session_by_account on access_session (account, id);
create index access_session_by_age on access_session (heard_at);
insert into personal_rows values ('access_session'); -- deleted when the account is erased
