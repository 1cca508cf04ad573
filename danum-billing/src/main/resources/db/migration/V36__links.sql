-- The device's link over which most bytes of a charge's flow went: the name of its interface. Null for charges from before, for
-- agents and SNAPTs of the version before, and for traffic in the control connection.
alter table charge add column link text;
alter table charge add constraint charge_link_check check (link ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,14}$') not valid;
create index charge_by_link on charge (account, link, started_at, id) where link is not null;
