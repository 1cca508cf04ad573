-- Bound on the error of the delay that a charge was priced at. Null where it is not known: charges from before, SNAPTs of
-- the version before, and delays that are a reference.
alter table charge add column delay_error_ms double precision check (delay_error_ms >= 0);
