-- Answers are forgotten by their age: idempotency-time of the configuration.
create index answered_request_by_time on answered_request (answered_at);
