-- Use that is kept for an application of low delay, and reserved with its quota: it goes on for this long at zero credit.
alter table credit_quota
  add column grace_bytes       bigint not null default 0,
  add column grace_flow_ms     bigint not null default 0,
  add column grace_interval_ms bigint not null default 0,
  add column grace_ends_at     timestamptz,               -- null until the grace begins
  add column grace_from        bigint not null default 0, -- total of the bytes at its begin
  add column grace_to          bigint not null default 0; -- total of the bytes that it has granted last

alter table interval_pass drop constraint interval_pass_rule_check,
  add constraint interval_pass_rule_check check (rule in ('QUOTA', 'GRACE', 'BEYOND_QUOTA'));
