-- The version of an allowance rises with each change, also over an end: who ends it knows which one.
create sequence allowance_version;
alter table allowance add column version bigint not null default nextval('allowance_version');
