-- An auditor reads everything and changes nothing. An owner of SNAPTs reads the own ones; the account's id is the owner's name.
alter table account drop constraint account_role_check;
alter table account add constraint account_role_check check (role in ('user', 'operator', 'auditor', 'snapt-owner'));
