-- The same rules with fewer queries. Each posting ran the check of its whole transaction at commit: for four postings five
-- counts and sums. Now a transaction is checked once at commit, and the postings of one statement are counted together.
-- A committed transaction has exactly its postings, so one more is refused by its number, before its sum is asked for.
drop trigger posting_is_balanced on posting;

create or replace function ledger_transaction_balances() returns trigger language plpgsql as $$
declare
  found_postings bigint;
  total numeric;
begin
  select count(*), coalesce(sum(amount_microdenarii), 0) into found_postings, total from posting where transaction_id = new.id;
  if found_postings <> new.postings or total <> 0 then
    raise exception 'ledger transaction % must have % postings that sum to 0, has % that sum to %',
      new.id, new.postings, found_postings, total using errcode = 'check_violation';
  end if;
  return null;
end $$;

-- The outer join finds a transaction that was committed after the snapshot of this one: nothing may be added to it either.
create function postings_have_room() returns trigger language plpgsql as $$
declare
  full_one record;
begin
  select a.transaction_id as id, t.postings, count(p.line) as found into full_one
    from (select distinct transaction_id from added) a
    left join ledger_transaction t on t.id = a.transaction_id left join posting p on p.transaction_id = a.transaction_id
    group by a.transaction_id, t.postings having t.postings is null or count(p.line) > t.postings limit 1;
  if found then
    raise exception 'ledger transaction % must have % postings, would have %', full_one.id, full_one.postings, full_one.found
      using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger posting_has_room after insert on posting referencing new table as added
  for each statement execute function postings_have_room();
