-- The device whose token a charge's traffic was carried under: its public key in base64url without padding, which is the id of
-- a device. Null for charges from before, and for reports without a token.
alter table charge add column device text check (length(device) = 43);
create index charge_by_device on charge (account, device, started_at, id) where device is not null;

-- What pages sum: one account, one time. All columns of the sums are in the index, so a day is read from few pages.
create index charge_sums on charge (account, started_at) include (interval_id, application, service_class, device, duration_ms,
  pre_bytes, post_bytes, saved_bytes, charge_microdenarii, discount_microdenarii, access_fee_microdenarii,
  surcharge_microdenarii, refund_microdenarii);
-- Sums leave void charges out; there are few.
create index charging_interval_void on charging_interval (id) where state = 'VOID';

-- What runs now: the sessions of an account.
create index credit_session_of_account on credit_session (account) where not ended;
