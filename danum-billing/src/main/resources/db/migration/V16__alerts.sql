-- Below how much credit the user wants to be told; null: below the operator's threshold.
alter table credit_account add column low_microdenarii bigint check (low_microdenarii between 0 and 1000000000000000);
