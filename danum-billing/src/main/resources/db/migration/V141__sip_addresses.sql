-- Further public identities of a user (3GPP TS 23.003 section 13.4): the user parts of SIP addresses beside the account's id. No
-- address is the id of an account; the code checks it at both sides.
create table sip_address (
  address  text primary key check (address ~ '^[A-Za-z0-9._+-]{1,64}$'),
  account  text not null references account,
  added_at timestamptz not null
);
create index sip_address_of_account on sip_address (account);

create trigger sip_address_changed after insert or update or delete on sip_address
  for each row execute function subscriber_changed();
create trigger sip_address_audited after insert or update or delete on sip_address for each row
  when (current_setting('viaduct.audit_entry', true) <> '') execute function audit_row();

-- A closed account keeps nothing but its id, see V6.
create function account_forgets_addresses() returns trigger language plpgsql as $$
begin
  delete from sip_address where account = new.id;
  return null;
end $$;
create trigger account_closed_forgets_addresses after update of state on account for each row
  when (new.state = 'closed') execute function account_forgets_addresses();

insert into personal_rows values ('sip_address');
