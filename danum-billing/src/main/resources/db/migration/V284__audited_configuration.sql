-- Users and SNAPTs of configuration files have entries of the audit log, too. No account has made such a change.
alter table audit_entry alter column account drop not null,
  add constraint audit_entry_has_actor check ((account is null) = (role = 'configuration'));
