-- The media of calls that are charged per second: flows that a call carries cost nothing (ADR 0069).
alter table call_session add column voice_kbit_per_second integer not null default 0 check (voice_kbit_per_second >= 0);
comment on column call_session.voice_kbit_per_second is
  'largest flow of voice-call that the call carries, both directions together, if its node describes no media; 0: none';
create index call_session_by_end on call_session (account, ended_at);

-- Where the media of a call comes from, as its node has described it. Kept as long as the remote addresses of flows.
create table call_media (
  call_id bigint not null references call_session on delete cascade,
  address text not null check (length(address) between 2 and 45),
  port    integer not null check (port between 1 and 65535),
  primary key (call_id, address, port)
);

create table carried_flow (
  interval_id bigint not null, -- no foreign key: months are dropped
  flow        bigint not null,
  call_id     bigint not null, -- of call_session, which may be gone
  primary key (interval_id, flow)
);
select keep_rows('carried_flow'::regclass);

-- As in V160, with the media of calls and the flows that they carried.
create or replace function forget_sealed() returns void language plpgsql as $$
begin
  insert into lifted values (pg_current_xact_id());
  grant delete on ledger_identity, rerating_item, relayed_bytes, call_request, carried_flow to current_user;
  delete from ledger_identity where transaction_id < kept_from();
  delete from rerating_item where interval_id < kept_from();
  delete from relayed_bytes where interval_id < kept_from();
  delete from carried_flow where interval_id < kept_from();
  delete from call_request where received_at < month_start(sealed_month());
  revoke delete on ledger_identity, rerating_item, relayed_bytes, call_request, carried_flow from current_user;
  delete from call_media where call_id in (select id from call_session where ended_at < month_start(sealed_month()));
  delete from cdr_interval where interval_id < kept_from();
  delete from call_session c where c.ended_at < month_start(sealed_month()) - interval '1 year'
    and not exists (select from call_request r where r.call_id = c.id);
  delete from lifted;
end $$;
