-- Personal data of reports stand beside the bills (ADR 0059): the address of each flow's peer, and the report as signed, whose token
-- names the user. They are deleted after a time of their own, and no bill changes. The digest of the report stays.
drop function net(current_charge), net(current_report), gross(current_report);
drop view charge_with_revisions, current_charge, current_report; -- V111 makes them again

create table flow_peer (
  interval_id    bigint not null,
  flow           bigint not null,
  remote_address text not null,
  remote_port    integer not null,
  primary key (interval_id, flow)
);
insert into flow_peer select interval_id, flow, remote_address, remote_port from charge;
alter table charge drop column remote_address, drop column remote_port;

create table report_original (
  interval_id bigint primary key,
  content     bytea not null,
  signature   bytea not null,
  key_id      text not null,
  token       bytea          -- the SignedSessionToken; null for reports from before receipts
);
insert into report_original select interval_id, content, signature, key_id, token from snapt_report;
alter table snapt_report drop column content, drop column signature, drop column key_id, drop column token;

do $$
declare
  kept text;
begin
  foreach kept in array array['flow_peer', 'report_original'] loop
    execute format('create trigger %I before update or delete on %I for each row execute function refuse_change()', kept || '_rows_stay', kept);
    execute format('create trigger %I before truncate on %I for each statement execute function refuse_change()', kept || '_stays', kept);
    execute format('revoke update, delete, truncate on %I from public, current_user', kept);
  end loop;
end $$;
