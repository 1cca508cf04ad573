-- An erasure takes the seal's lock (ReceiptSealer). Otherwise a round that has read a movement of the user stores its receipt under
-- the former id, after the erasure has given the posting to the pseudonym.
alter function erase_account(text, text) rename to erase_sealed_account;
create function erase_account(former text, pseudonym text) returns text language plpgsql as $$
begin
  perform pg_advisory_xact_lock(x'7669616472637074'::bigint);
  return erase_sealed_account(former, pseudonym);
end $$;
