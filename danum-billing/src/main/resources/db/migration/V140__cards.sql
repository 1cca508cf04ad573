-- The keys of a subscriber's card for AKA (3GPP TS 33.102, ADR 0065), sealed as SIP credentials are (V6): 12 bytes of nonce,
-- ciphertext, 16 bytes of tag. The audit log shows of a column named *_secret only that it has changed.
create table sip_card (
  account    text primary key references account,
  key_id     text not null check (key_id ~ '^[0-9a-f]{16}$'),
  k_secret   bytea not null check (length(k_secret) = 44),
  opc_secret bytea not null check (length(opc_secret) = 44),
  amf        bytea not null check (length(amf) = 2),
  changed_at timestamptz not null
);

create trigger sip_card_changed after insert or update or delete on sip_card
  for each row execute function subscriber_changed();
create trigger sip_card_audited after insert or update or delete on sip_card for each row
  when (current_setting('viaduct.audit_entry', true) <> '') execute function audit_row();

-- A closed account keeps nothing but its id, see V6.
create function account_forgets_card() returns trigger language plpgsql as $$
begin
  delete from sip_card where account = new.id;
  return null;
end $$;
create trigger account_closed_forgets_card after update of state on account for each row
  when (new.state = 'closed') execute function account_forgets_card();

insert into personal_rows values ('sip_card');
