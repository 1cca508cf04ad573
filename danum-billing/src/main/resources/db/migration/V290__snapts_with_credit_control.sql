-- SNAPTs whose sessions ask for credit, with about a day's resolution. A report of such a SNAPT without a quota was carried
-- while billing was away (ADR 0041); one of another SNAPT had no credit control.
create table credit_snapt (
  snapt_id text primary key,
  heard_at timestamptz not null
);
insert into credit_snapt select snapt_id, max(heard_at) from credit_session s
  where exists (select from credit_quota q where (q.snapt_id, q.session_id) = (s.snapt_id, s.session_id))
  group by snapt_id;
