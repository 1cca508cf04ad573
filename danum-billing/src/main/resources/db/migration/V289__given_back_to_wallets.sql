-- A wallet that paid a charge gets its money back when the charge costs less (ADR 0043): a draw with a negative amount. So a
-- charge may have several draws from one wallet.
alter table wallet_draw drop constraint wallet_draw_pkey, drop constraint wallet_draw_amount_microdenarii_check,
  add check (amount_microdenarii <> 0),
  add column id bigint generated always as identity primary key,
  add column reason text not null default 'BILL' check (reason in ('BILL', 'REFUND', 'CAP'));
alter table wallet_draw alter column reason drop default;
create index wallet_draw_by_wallet on wallet_draw (wallet_id);
