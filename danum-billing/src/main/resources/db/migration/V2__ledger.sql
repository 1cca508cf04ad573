-- Double entry, append only. Every transaction sums to zero when its database transaction commits, whoever writes it.
create table ledger_account (
  name       text primary key,
  kind       text not null check (kind in ('USER', 'CLEARING', 'PROVIDER', 'OPERATOR', 'ISSUANCE')),
  created_at timestamptz not null,
  check (name = kind or name like kind || ':%')
);

create sequence ledger_transaction_id;
create table ledger_transaction (
  id        bigint primary key,
  kind      text not null check (kind in ('TOP_UP', 'PROVISIONAL', 'CORRECTION', 'SETTLEMENT', 'ADJUSTMENT')),
  identity  text not null unique,            -- from the caller: the same transaction cannot be posted twice
  postings  smallint not null check (postings >= 2),
  interval_id bigint,                        -- what it bills; a top-up has none
  posted_at timestamptz not null,
  note      text not null
);
create index ledger_transaction_by_interval on ledger_transaction (interval_id);

create table posting (
  transaction_id      bigint not null references ledger_transaction,
  line                smallint not null check (line > 0),
  account             text not null references ledger_account,
  amount_microdenarii bigint not null check (amount_microdenarii <> 0),
  primary key (transaction_id, line)
);
create index posting_by_account on posting (account, transaction_id) include (amount_microdenarii);

-- Runs at commit, when all postings of the transaction are there. The declared number of postings is part of it, so that
-- nothing can be added to a transaction of yesterday either.
create function ledger_transaction_balances() returns trigger language plpgsql as $$
declare
  checked bigint := case tg_table_name when 'posting' then (to_jsonb(new) ->> 'transaction_id')::bigint
                                       else (to_jsonb(new) ->> 'id')::bigint end;
  declared bigint;
  found_postings bigint;
  total numeric;
begin
  select postings into declared from ledger_transaction where id = checked;
  select count(*), coalesce(sum(amount_microdenarii), 0) into found_postings, total from posting where transaction_id = checked;
  if found_postings <> declared or total <> 0 then
    raise exception 'ledger transaction % must have % postings that sum to 0, has % that sum to %',
      checked, declared, found_postings, total using errcode = 'check_violation';
  end if;
  return null;
end $$;

create constraint trigger ledger_transaction_is_balanced after insert on ledger_transaction
  deferrable initially deferred for each row execute function ledger_transaction_balances();
create constraint trigger posting_is_balanced after insert on posting
  deferrable initially deferred for each row execute function ledger_transaction_balances();

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% on % is refused: posted rows are only ever added, corrections are new transactions', tg_op, tg_table_name
    using errcode = 'insufficient_privilege';
end $$;

insert into ledger_account (name, kind, created_at) values
  ('CLEARING', 'CLEARING', now()), ('ISSUANCE', 'ISSUANCE', now()), ('OPERATOR:REVENUE', 'OPERATOR', now()),
  ('OPERATOR:DISCOUNT', 'OPERATOR', now()), ('OPERATOR:ADJUSTMENT', 'OPERATOR', now());

-- Credit given by an operator. The key is the caller's, one name space for all accounts.
create table top_up (
  idempotency_key     text primary key check (length(idempotency_key) between 1 and 128),
  account             text not null references account,
  amount_microdenarii bigint not null check (amount_microdenarii > 0),
  reference           text not null check (length(reference) <= 256),
  created_by          text not null references account,
  created_at          timestamptz not null,
  transaction_id      bigint not null references ledger_transaction
);
