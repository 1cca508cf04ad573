-- What accounts have earned as relays (ADR 0068). The postings of dropped months are gone, so a sum over postings would fall with
-- each of them.
create table relay_earning (
  account             text primary key references account,
  earned_microdenarii bigint not null
);
insert into relay_earning select substr(p.account, 6), sum(p.amount_microdenarii)
  from posting p join ledger_transaction t on t.id = p.transaction_id
  where t.kind = 'RELAY' and p.account like 'USER:%' group by 1;
