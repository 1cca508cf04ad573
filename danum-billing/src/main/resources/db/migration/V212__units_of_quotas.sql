-- The quota of a call (V160) is a row of credit_quota, whose columns were named for bytes.
comment on column credit_quota.used_bytes is 'inner bytes; seconds of a call';
comment on column credit_quota.allowed_bytes is 'inner bytes; seconds of a call';
comment on column credit_quota.covered_bytes is 'inner bytes; seconds of a call';
comment on column credit_quota.grace_bytes is 'inner bytes; seconds of a call';
