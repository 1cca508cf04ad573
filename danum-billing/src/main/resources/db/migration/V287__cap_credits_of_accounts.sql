-- An account's list of what caps gave back, latest first.
create index cap_credit_of_account on cap_credit (account, transaction_id);
