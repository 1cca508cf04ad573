-- The spending that caps compare is that of the day on which the report of an interval came. What is given back later is
-- taken off that day, and not off the day of giving back, which would let a user spend more than the cap of that day. The
-- credit for the caps of a tariff comes days later, so it is no part of it.
create or replace function posting_moves_credit() returns trigger language plpgsql as $$
begin
  update credit_account c set balance_microdenarii = c.balance_microdenarii + moved.amount
  from (select substr(account, 6) as account, sum(amount_microdenarii) as amount from added
        where account like 'USER:%' group by 1) moved
  where c.account = moved.account;
  insert into spending as s (account, day, spent_microdenarii)
    select c.account, (coalesce(i.received_at, t.posted_at) at time zone 'UTC')::date, -sum(p.amount_microdenarii)
    from added p join ledger_transaction t on t.id = p.transaction_id join credit_account c on c.account = substr(p.account, 6)
    left join charging_interval i on i.id = t.interval_id
    where p.account like 'USER:%' and t.kind in ('PROVISIONAL', 'CORRECTION', 'ADJUSTMENT', 'REVERSAL')
    group by 1, 2 order by 1, 2
  on conflict (account, day) do update set spent_microdenarii = s.spent_microdenarii + excluded.spent_microdenarii;
  return null;
end $$;

delete from spending;
insert into spending
  select c.account, (coalesce(i.received_at, t.posted_at) at time zone 'UTC')::date, -sum(p.amount_microdenarii)
  from posting p join ledger_transaction t on t.id = p.transaction_id join credit_account c on p.account = 'USER:' || c.account
  left join charging_interval i on i.id = t.interval_id
  where t.kind in ('PROVISIONAL', 'CORRECTION', 'ADJUSTMENT', 'REVERSAL') group by 1, 2;

-- Bytes of an application that passed without a grant, because billing was away: those between two totals of the session.
alter table credit_quota add column beyond_from bigint not null default 0, add column beyond_to bigint not null default 0;

alter table charge add column jitter_ms double precision;
