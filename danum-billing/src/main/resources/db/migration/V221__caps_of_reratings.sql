-- A re-rating opens every day of its time, because its tariff may differ in a cap alone. A credit of a cap names the latest
-- re-rating of its day, so that a run says what the caps gave back.
alter table cap_credit add column rerating bigint references rerating;
create index cap_credit_of_rerating on cap_credit (rerating) where rerating is not null;
