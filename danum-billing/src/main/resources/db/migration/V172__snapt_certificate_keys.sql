-- The key of a SNAPT's certificate, if billing has given it: bridges refuse certificates with other keys (ADR 0072). Null: any key.
alter table snapt add column certificate_key bytea check (length(certificate_key) = 32); -- SHA-256 of the SubjectPublicKeyInfo
