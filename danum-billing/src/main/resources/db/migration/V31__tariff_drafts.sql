-- Tariffs that operators work on (ADR 0045). A draft may break every rule; nothing is priced by it.
create table tariff_draft (
  id         bigint generated always as identity primary key,
  owner      text not null references account,
  name       text not null check (length(name) between 1 and 64),
  document   json not null,
  based_on   integer references tariff,
  version    bigint not null default 1,
  changed_at timestamptz not null
);
create index tariff_draft_of_owner on tariff_draft (owner, changed_at);

-- What happened in a time, over all accounts. Charges are written nearly in the order of their intervals, so a small index of
-- ranges finds them, and costs a posting nearly nothing.
create index charge_by_time on charge using brin (started_at) with (pages_per_range = 16, autosummarize = on);
