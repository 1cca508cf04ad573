-- A statement reads the transactions of one month, and takes the opening balance from the present one less what came since.
create index ledger_transaction_by_time on ledger_transaction (posted_at);
