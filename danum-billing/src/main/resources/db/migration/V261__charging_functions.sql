-- Charging functions that an IMS core has named for the user, as digests of the session's token (usage.proto, SessionToken). They are
-- those of the first report, so that the records of a session go to one function.
alter table accounting_session add column charging_functions bigint[] not null default '{}';
