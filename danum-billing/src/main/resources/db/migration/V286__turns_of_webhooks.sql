-- Each endpoint has its own turn (ADR 0057), so what is due is looked up by endpoint.
create index webhook_delivery_next on webhook_delivery (endpoint_id, next_attempt_at, id) where state = 'DUE';
drop index webhook_delivery_due;
