-- What relays earn follows their postings (V214), whichever version of billing posts them: while instances are upgraded one by one,
-- one of the version before posts rewards and knows no relay_earning.
create function relays_earn() returns trigger language plpgsql as $$
begin
  insert into relay_earning as e select substr(p.account, 6), sum(p.amount_microdenarii)
    from posting p where p.transaction_id = new.id and p.account like 'USER:%' group by 1 order by 1
  on conflict (account) do update set earned_microdenarii = e.earned_microdenarii + excluded.earned_microdenarii;
  return null;
end $$;
create constraint trigger relays_earn after insert on ledger_transaction deferrable initially deferred
  for each row when (new.kind = 'RELAY') execute function relays_earn();

-- What such an instance has posted since V214. The trigger's lock keeps further postings out until this is committed.
insert into relay_earning as e select substr(p.account, 6), sum(p.amount_microdenarii)
  from posting p join ledger_transaction t on t.id = p.transaction_id
  where t.kind = 'RELAY' and p.account like 'USER:%' group by 1
on conflict (account) do update set earned_microdenarii = greatest(e.earned_microdenarii, excluded.earned_microdenarii);
