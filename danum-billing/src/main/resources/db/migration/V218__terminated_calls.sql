-- A call whose node has ended it stays so. A call that was refused further seconds goes on when its node asks again, so that it was
-- ended afterwards must be known too. An instance of the version before writes ended_by only.
alter table call_session add column is_terminated boolean not null default false;
