-- An erasure keeps the hash that the first receipt of the chain names: this receipt and the leaves of published roots were made of it,
-- and it cannot be computed from the pseudonym (ADR 0085). The salt goes: with it, the hash would tell whether a guessed name is right.
-- A chain that an earlier version has erased has a salt still, and no hash.
alter table receipt_chain alter column salt drop not null, add column genesis bytea check (length(genesis) = 32),
  add constraint receipt_chain_begins check ((salt is null) = (genesis is not null)), add constraint receipt_chain_known check (genesis is null or erased);

-- As StatementReceipt.genesis() of the library usage-protocol.
create function receipt_genesis(of_account text, of_salt bytea) returns bytea language sql immutable as $$
  select sha256('viaduct statement'::bytea || '\x00'::bytea || int4send(length(convert_to(of_account, 'UTF8'))) || convert_to(of_account, 'UTF8')
    || int4send(length(of_salt)) || of_salt)
$$;

create or replace function erase_account(former text, pseudonym text) returns text language plpgsql as $$
declare
  reason text;
  kept_hash bytea;
begin
  perform pg_advisory_xact_lock(x'7669616472637074'::bigint);
  select receipt_genesis(account, salt) into kept_hash from receipt_chain where account = former and not erased;
  reason := erase_sealed_account(former, pseudonym);
  if reason is not null then
    return reason;
  end if;
  delete from call_media where call_id in (select id from call_session where account = pseudonym);
  if kept_hash is not null then
    insert into lifted values (pg_current_xact_id());
    grant update (salt, genesis) on receipt_chain to current_user;
    update receipt_chain set salt = null, genesis = kept_hash where account = pseudonym;
    revoke update (salt, genesis) on receipt_chain from current_user;
    delete from lifted;
  end if;
  return null;
end $$;
