-- The cap of the user that was last noticed as reached: its period, the day (UTC) of the notice, and its amount. It holds until
-- the period is over or the cap is raised.
alter table credit_account
  add column reached_cap text check (reached_cap in ('DAY', 'MONTH')),
  add column reached_cap_on date,
  add column reached_cap_microdenarii bigint,
  add constraint reached_cap_is_whole check (num_nulls(reached_cap, reached_cap_on, reached_cap_microdenarii) in (0, 3));

-- A reached cap is an edge like those of the credit.
alter table credit_notice drop constraint credit_notice_state_check,
  add constraint credit_notice_state_check check (state in ('SUFFICIENT', 'LOW', 'EXHAUSTED', 'CAP_DAY', 'CAP_MONTH'));
