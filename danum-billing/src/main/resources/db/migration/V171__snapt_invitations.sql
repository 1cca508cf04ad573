-- Invitations of SNAPTs (ADR 0072): a one-time code, and the request for a certificate that came by it. The code itself is never
-- stored: only its SHA-256. A SNAPT has one invitation at a time.
create table snapt_invitation (
  snapt_id     text primary key check (snapt_id ~ '^[A-Za-z0-9._-]{1,64}$'),
  code_digest  bytea not null unique check (length(code_digest) = 32),
  owner        text not null check (owner ~ '^[A-Za-z0-9._-]{1,64}$'),
  region       text not null check (length(region) <= 64),
  line_rate    bigint check (line_rate between 1 and 10000000000000),
  made_at      timestamptz not null,
  made_by      text not null,
  expires_at   timestamptz not null check (expires_at > made_at),
  asked_at     timestamptz, -- when a SNAPT has used the code; it alone may ask again
  report_key   bytea check (length(report_key) = 32),
  request      text check (length(request) <= 16384),
  certificates text check (length(certificates) <= 65536),
  check ((asked_at is null) = (report_key is null) and (asked_at is null) = (request is null)),
  check (certificates is null or asked_at is not null)
);
create trigger snapt_invitation_audited after insert or update or delete on snapt_invitation for each row
  when (current_setting('viaduct.audit_entry', true) <> '') execute function audit_row();
