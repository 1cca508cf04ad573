-- A request of an enrolled SNAPT for its next certificate (ADR 0072). It has no code: its digest is of random bytes.
alter table snapt_invitation add column renewal boolean not null default false;
