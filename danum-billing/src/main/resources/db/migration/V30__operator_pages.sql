-- The operator's block: the account may register and keeps its sessions, and gets no quotas. It is pushed like any change of
-- the rules of credit.
alter table credit_account add column blocked boolean not null default false;
create table credit_block (
  id         bigint generated always as identity primary key,
  account    text not null references credit_account,
  blocked    boolean not null,
  reason     text not null check (length(reason) between 1 and 256),
  decided_by text not null,
  decided_at timestamptz not null
);
create index credit_block_of_account on credit_block (account, id);
create trigger credit_block_rows_stay before update or delete on credit_block for each row execute function refuse_change();
create trigger credit_block_stays before truncate on credit_block for each statement execute function refuse_change();
revoke update, delete, truncate on credit_block from public, current_user;

-- The list of accounts: by name, by words of the name for people, by what stands out. Balance and spending change with every
-- report, so they have no index: PostgreSQL would have to write it each time. Their order is sorted anew.
create index credit_account_by_name on credit_account (account collate "C");
create index account_by_lower_name on account (lower(id) collate "C");
create index account_by_words on account using gin (to_tsvector('simple', display_name));
create index account_not_active on account (state) where state <> 'active';
create index credit_account_not_sufficient on credit_account (state) where state <> 'SUFFICIENT';
create index credit_account_blocked on credit_account (account) where blocked;
create index spending_of_day on spending (day, account);
create index credit_quota_cut on credit_quota (account) where cut;
