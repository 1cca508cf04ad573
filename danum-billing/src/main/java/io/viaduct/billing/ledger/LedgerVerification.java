package io.viaduct.billing.ledger;

import io.viaduct.billing.database.Snapshot;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Recomputes every invariant of the ledger from the stored rows alone, in one snapshot.
public final class LedgerVerification {
  /// The result of checking one invariant.
  ///
  /// @param code short name of the invariant, for programs; empty in a run of an earlier version
  /// @param name the invariant in words
  /// @param violations number of rows that break it
  /// @param example the first of these rows, or empty
  public record Check(String code, String name, long violations, String example) {
    public Check {
      code = Objects.requireNonNullElse(code, "");
    }

    /// Returns true if the invariant holds.
    public boolean holds() {
      return violations == 0;
    }
  }

  /// A check that one query cannot do. It runs in the snapshot of the verification.
  public interface Recomputation {
    Check check();
  }

  /// An invariant with the query of the rows that break it.
  private record Invariant(String code, String name, String broken) {}

  // Each query returns the rows that break the invariant. Values of a tariff's document are read
  // once per tariff, because PostgreSQL would decompress the document again for each row.
  private static final List<Invariant> INVARIANTS =
      List.of(
          new Invariant(
              "transactions",
              "each transaction has its postings and sums to 0",
              """
              select t.identity || ' has ' || count(p.line) || ' postings, sum ' || coalesce(sum(p.amount_microdenarii), 0)
              from ledger_transaction t left join posting p on p.transaction_id = t.id
              group by t.id, t.identity, t.postings
              having count(p.line) <> t.postings or coalesce(sum(p.amount_microdenarii), 0) <> 0
              """),
          new Invariant(
              "accounts",
              "all accounts sum to 0",
              """
              select 'sum ' || sum(amount_microdenarii) from posting having sum(amount_microdenarii) <> 0
              """),
          new Invariant(
              "clearing",
              "CLEARING is the charges and surcharges not yet settled",
              """
              select 'CLEARING ' || c.balance || ', unsettled ' || u.charges
              from (select coalesce(sum(amount_microdenarii), 0) balance from posting where account = 'CLEARING') c,
                   (select coalesce(sum(r.charge_microdenarii + r.surcharge_microdenarii), 0) charges from charging_interval i
                    join current_report r on r.interval_id = i.id where i.state in ('CORRECTED', 'FINAL_PROVISIONAL')
                      or i.state = 'PROVISIONAL' and i.received_at < i.grace_ends_at) u
              where c.balance <> u.charges
              """),
          new Invariant(
              "intervals",
              "the payer's postings of an interval are what its bill comes to, of a void one 0",
              """
              select 'interval ' || i.id || ': ' || coalesce(p.paid, 0) || ' for ' || r.net
              from charging_interval i join current_report r on r.interval_id = i.id
              left join (select t.interval_id, p.account, sum(p.amount_microdenarii) paid
                         from ledger_transaction t join posting p on p.transaction_id = t.id group by 1, 2) p
                on p.interval_id = i.id and p.account = 'USER:' || i.account
              where coalesce(p.paid, 0) <>
                case when i.state = 'VOID' then 0 else -r.net end
              """),
          new Invariant(
              "settlements",
              "a settled charge is the provider's fee and the rest, a surcharge the provider's",
              """
              with fees as materialized (select version, (document ->> 'provider-fee')::numeric fee from tariff)
              select 'interval ' || i.id || ': fee ' || coalesce(s.fee, 0) || ', rest ' || coalesce(s.rest, 0)
                     || ', cleared ' || coalesce(s.cleared, 0) || ' of ' || r.charge_microdenarii
              from charging_interval i join current_report r on r.interval_id = i.id join fees v on v.version = i.tariff_version
              left join (select t.interval_id,
                           sum(p.amount_microdenarii) filter (where p.account like 'PROVIDER:%') fee,
                           sum(p.amount_microdenarii) filter (where p.account = 'OPERATOR:REVENUE') rest,
                           -sum(p.amount_microdenarii) filter (where p.account = 'CLEARING') cleared
                         from ledger_transaction t join posting p on p.transaction_id = t.id
                         where t.kind = 'SETTLEMENT' group by 1) s on s.interval_id = i.id
              where case when i.state = 'FINAL' then
                  coalesce(s.cleared, 0) <> r.charge_microdenarii + r.surcharge_microdenarii
                  or coalesce(s.fee, 0) + coalesce(s.rest, 0) <> r.charge_microdenarii + r.surcharge_microdenarii
                  or abs(coalesce(s.fee, 0) - r.surcharge_microdenarii - r.charge_microdenarii * v.fee) > 0.5
                else s.interval_id is not null end
              """),
          new Invariant(
              "relays",
              "relays of a settled interval have the tariff's share of its charge, by bytes; others, and the payer, nothing",
              """
              with shares as materialized (select version, coalesce((document ->> 'relay-share')::numeric, 0) share from tariff),
              relayed as (select b.interval_id, b.account, b.bytes, sum(b.bytes) over (partition by b.interval_id) as together
                from relayed_bytes b),
              paid as (select t.interval_id, substr(p.account, 6) as account, sum(p.amount_microdenarii) as amount
                from ledger_transaction t join posting p on p.transaction_id = t.id
                where t.kind = 'RELAY' and p.account like 'USER:%' group by 1, 2)
              select 'interval ' || i.id || ': ' || coalesce(r.account, p.account) || ' has ' || coalesce(p.amount, 0)
              from relayed r full join paid p on (p.interval_id, p.account) = (r.interval_id, r.account)
              join charging_interval i on i.id = coalesce(r.interval_id, p.interval_id)
              join shares v on v.version = i.tariff_version join current_report c on c.interval_id = i.id
              join snapt_report s on s.interval_id = i.id
              where coalesce(r.account, p.account) = i.account or case when i.state = 'FINAL' then
                  not exists (select from relay_reward_due d where d.interval_id = i.id)
                  and abs(coalesce(p.amount, 0) - v.share * c.charge_microdenarii * coalesce(r.bytes, 0)
                    / greatest(s.post_bytes + s.overhead_bytes, r.together, 1)) > 1.5
                else p.amount is not null end
              """),
          new Invariant(
              "rewards",
              "the fee, the discount and the owner's reward of an interval are those of its bill, of a void one 0",
              """
              select 'interval ' || i.id || ': reward ' || coalesce(s.reward, 0) || ', fees ' || coalesce(s.fees, 0)
                     || ', given ' || coalesce(s.given, 0)
              from charging_interval i join current_report r on r.interval_id = i.id
              left join (select t.interval_id,
                           sum(p.amount_microdenarii) filter (where p.account like 'PROVIDER:%') reward,
                           sum(p.amount_microdenarii) filter (where p.account = 'OPERATOR:FEES') fees,
                           -sum(p.amount_microdenarii) filter (where p.account = 'OPERATOR:DISCOUNT') given,
                           array_agg(distinct p.account) filter (where p.account like 'PROVIDER:%') owners
                         from ledger_transaction t join posting p on p.transaction_id = t.id
                         where t.kind <> 'SETTLEMENT' and t.interval_id is not null group by 1) s on s.interval_id = i.id
              cross join lateral (select case when i.state = 'VOID' then 0 else 1 end) counts(factor)
              where coalesce(s.reward, 0) <> factor * r.reward_microdenarii
                 or coalesce(s.fees, 0) <> factor * r.access_fee_microdenarii
                 or coalesce(s.given, 0) <> factor * (r.discount_microdenarii + r.reward_microdenarii)
                 or s.owners <> array['PROVIDER:' || i.owner]
              """),
          new Invariant(
              "carried",
              "CARRIED is 0, and the sum of each dropped month is carried forward once",
              """
              select 'CARRIED ' || sum(amount_microdenarii) from posting where account = 'CARRIED' having sum(amount_microdenarii) <> 0
              union all
              select identity from ledger_transaction t where t.kind = 'CARRY_FORWARD' and t.posted_at >= month_start(sealed_month())
              union all
              select 'cut ' || cut || ' keeps rows before it' from sealed s where exists (select from billing_month m
                where m.number between 1 and s.cut - 1)
              """),
          new Invariant(
              "identities",
              "each interval and each transaction has its identity in the table that keeps it unique",
              """
              select 'interval ' || i.id from charging_interval i
              left join interval_key k on (k.snapt_id, k.session_id, k.epoch, k.sequence)
                = (i.snapt_id, i.session_id, i.epoch, i.sequence)
              where k.interval_id is distinct from i.id
              union all
              select 'transaction ' || t.identity from ledger_transaction t
              left join ledger_identity k on k.identity = t.identity
              where k.transaction_id is distinct from t.id
              """),
          new Invariant(
              "unsigned",
              "what was posted unsigned is signed or decided before it moves on",
              """
              select 'interval ' || i.id || ' is ' || i.state from charging_interval i
              join ledger_transaction t on t.interval_id = i.id and t.kind = 'PROVISIONAL'
              left join interval_decision d on d.interval_id = i.id
              where case i.state when 'PROVISIONAL' then d.kind is not null
                                 when 'VOID' then d.kind is distinct from 'VOIDED'
                                 else coalesce(d.kind, 'VOIDED') = 'VOIDED' end
              """),
          new Invariant(
              "discounts",
              "0 <= discount and reward <= cap * charge",
              """
              with caps as materialized (select version, (document -> 'discount' ->> 'cap')::numeric cap from tariff)
              select 'charge ' || c.id || ': discount ' || c.discount_microdenarii || ' and ' || c.reward_microdenarii || ' of ' || c.charge_microdenarii
              from charge_with_revisions c join charging_interval i on i.id = c.interval_id
              join caps v on v.version = coalesce(c.revised_tariff_version, i.tariff_version)
              where c.discount_microdenarii < 0 or c.discount_microdenarii + c.reward_microdenarii > c.charge_microdenarii * v.cap + 0.5
              """),
          new Invariant(
              "bills",
              "each line of a report's bill is the sum over its flows",
              """
              select 'interval ' || r.interval_id from snapt_report r left join charge c on c.interval_id = r.interval_id
              group by r.interval_id
              having coalesce(sum(c.charge_microdenarii), 0) <> r.charge_microdenarii
                  or coalesce(sum(c.discount_microdenarii), 0) <> r.discount_microdenarii
                  or coalesce(sum(c.reward_microdenarii), 0) <> r.reward_microdenarii
                  or coalesce(sum(c.access_fee_microdenarii), 0) <> r.access_fee_microdenarii
                  or coalesce(sum(c.surcharge_microdenarii), 0) <> r.surcharge_microdenarii
                  or coalesce(sum(c.refund_microdenarii), 0) <> r.refund_microdenarii
              """),
          new Invariant(
              "revisions",
              "each revision of a bill is the sum over its flows, and the newest one counts",
              """
              select 'revision ' || r.revision || ' of interval ' || r.interval_id from report_revision r
              left join (charge c join charge_revision v on v.charge_id = c.id)
                on (c.interval_id, v.revision) = (r.interval_id, r.revision)
              group by r.interval_id, r.revision
              having coalesce(sum(v.charge_microdenarii), 0) <> r.charge_microdenarii
                  or coalesce(sum(v.discount_microdenarii), 0) <> r.discount_microdenarii
                  or coalesce(sum(v.reward_microdenarii), 0) <> r.reward_microdenarii
                  or coalesce(sum(v.access_fee_microdenarii), 0) <> r.access_fee_microdenarii
                  or coalesce(sum(v.surcharge_microdenarii), 0) <> r.surcharge_microdenarii
                  or coalesce(sum(v.refund_microdenarii), 0) <> r.refund_microdenarii
              union all
              select 'interval ' || coalesce(n.interval_id, m.interval_id) || ': newest revision ' || coalesce(n.revision, 0)
                || ' of ' || coalesce(m.revisions, 0)
              from newest_revision n full join
                (select interval_id, count(*) revisions, max(revision) last from report_revision group by 1) m
                on m.interval_id = n.interval_id
              where n.revision is distinct from m.last or m.revisions <> m.last
                or not exists (select from charging_interval i where i.id = coalesce(n.interval_id, m.interval_id))
              union all
              select 'revision ' || v.revision || ' of charge ' || v.charge_id from charge_revision v
              left join charge c on c.id = v.charge_id
              left join report_revision r on (r.interval_id, r.revision) = (c.interval_id, v.revision)
              where r.interval_id is null
              """),
          new Invariant(
              "top-ups",
              "each top-up is posted with its amount",
              """
              select 'top-up ' || u.idempotency_key from top_up u
              left join posting p on p.transaction_id = u.transaction_id and p.account = 'USER:' || u.account
              where p.amount_microdenarii is distinct from u.amount_microdenarii and u.transaction_id >= kept_from()
              """),
          new Invariant(
              "credits",
              "each credit is posted with its amount, from OPERATOR:ADJUSTMENT",
              """
              select 'credit ' || r.idempotency_key from credit r
              join ledger_transaction t on t.id = r.transaction_id
              left join posting p on p.transaction_id = t.id and p.account = 'USER:' || r.account
              left join posting o on o.transaction_id = t.id and o.account = 'OPERATOR:ADJUSTMENT'
              where p.amount_microdenarii is distinct from r.amount_microdenarii
                 or o.amount_microdenarii is distinct from -r.amount_microdenarii
                 or t.kind <> case when r.charge_id is null then 'CREDIT' else 'REFUND' end
              """),
          new Invariant(
              "refunds",
              "refunds of a charge are at most what was paid for it",
              """
              select 'charge ' || c.id || ': refunded ' || sum(r.amount_microdenarii) || ' of ' || c.net
              from credit r join current_charge c on c.id = r.charge_id
              group by c.id, c.account, c.net
              having sum(r.amount_microdenarii) > c.net
                  or bool_or(r.account <> c.account)
              """),
          new Invariant(
              "cap-credits",
              "each cap credit is posted, and those of a cap sum to what was paid above it",
              """
              select 'cap credit ' || k.transaction_id from cap_credit k
              left join posting p on p.transaction_id = k.transaction_id and p.account = 'USER:' || k.account
              where p.amount_microdenarii is distinct from k.amount_microdenarii and k.transaction_id >= kept_from()
              union all
              select 'caps of ' || k.account || ' from ' || k.began_at || ': ' || sum(k.amount_microdenarii) from cap_credit k
              group by k.account, k.cap, k.application, k.began_at
              having sum(k.amount_microdenarii) <> (array_agg(k.paid_microdenarii - k.limit_microdenarii order by k.revision desc))[1]
              """),
          new Invariant(
              "balances",
              "the kept balance of each account is the sum of its postings",
              """
              select c.account || ' keeps ' || c.balance_microdenarii || ', its postings sum to ' || coalesce(p.total, 0)
              from credit_account c
              left join (select account, sum(amount_microdenarii) total from posting where account like 'USER:%' group by 1) p
                on p.account = 'USER:' || c.account
              where c.balance_microdenarii <> coalesce(p.total, 0)
              """),
          new Invariant(
              "spending",
              "the kept spending of each day is what its reports and calls were charged",
              """
              select coalesce(s.account, p.account) || ' on ' || coalesce(s.day, p.day) || ' keeps '
                     || coalesce(s.spent_microdenarii, 0) || ', was charged ' || coalesce(p.spent, 0)
              from spending s full join (
                select c.account, (coalesce(i.received_at, t.posted_at) at time zone 'UTC')::date as day, -sum(p.amount_microdenarii) as spent
                from posting p join ledger_transaction t on t.id = p.transaction_id join credit_account c on p.account = 'USER:' || c.account
                left join charging_interval i on i.id = t.interval_id
                where t.kind in ('PROVISIONAL', 'CORRECTION', 'ADJUSTMENT', 'REVERSAL', 'RERATING', 'CALL') group by 1, 2) p
                on (p.account, p.day) = (s.account, s.day)
              where coalesce(s.spent_microdenarii, 0) <> coalesce(p.spent, 0)
                and coalesce(s.day, p.day) >= coalesce((select max(spending_from) from sealed), '-infinity')
              """),
          new Invariant(
              "wallets",
              "each wallet is granted with its amount, and what it paid and what expired are at most that",
              """
              select 'wallet ' || w.id || ': ' || w.amount_microdenarii || ' granted, ' || coalesce(d.drawn, 0) || ' drawn, '
                     || coalesce(e.amount_microdenarii::text, 'not') || ' expired'
              from wallet w
              left join posting p on p.transaction_id = w.transaction_id and p.account = 'USER:' || w.account
              left join (select wallet_id, sum(amount_microdenarii) drawn from wallet_draw group by 1) d on d.wallet_id = w.id
              left join wallet_expiry e on e.wallet_id = w.id
              left join posting x on x.transaction_id = e.transaction_id and x.account = 'USER:' || w.account
              where p.amount_microdenarii is distinct from w.amount_microdenarii and w.transaction_id >= kept_from()
                 or coalesce(d.drawn, 0) + coalesce(e.amount_microdenarii, 0) > w.amount_microdenarii
                 or e.wallet_id is not null and (coalesce(d.drawn, 0) + e.amount_microdenarii <> w.amount_microdenarii
                   or coalesce(x.amount_microdenarii, 0) <> -e.amount_microdenarii and e.transaction_id >= kept_from())
              """),
          new Invariant(
              "wallet-rests",
              "what is kept as the rest of an open wallet is its amount less what charges drew",
              """
              select 'wallet ' || w.id || ' keeps ' || coalesce(o.rest_microdenarii::text, 'nothing') || ', of '
                     || w.amount_microdenarii || ' were drawn ' || coalesce(d.drawn, 0)
              from wallet w left join open_wallet o on o.wallet_id = w.id
              left join (select wallet_id, sum(amount_microdenarii) drawn from wallet_draw group by 1) d on d.wallet_id = w.id
              left join wallet_expiry e on e.wallet_id = w.id
              where case when e.wallet_id is not null then o.wallet_id is not null
                else (o.account, o.expires_at, o.rest_microdenarii)
                  is distinct from (w.account, w.expires_at, w.amount_microdenarii - coalesce(d.drawn, 0)) end
              """),
          new Invariant(
              "wallet-draws",
              "what a charge drew from wallets of its account is at most what it costs, unless they have expired since",
              """
              select 'charge ' || c.id || ': ' || sum(d.amount) || ' drawn for ' || c.net
              from (select charge_id, wallet_id, sum(amount_microdenarii) amount from wallet_draw group by 1, 2) d
              join wallet w on w.id = d.wallet_id left join open_wallet o on o.wallet_id = d.wallet_id
              join (
                select f.id, f.account, f.revision = 0 as is_first, f.net first,
                  case when i.state = 'VOID' then 0 else f.net end
                    - (select coalesce(sum(r.amount_microdenarii), 0) from credit r where r.charge_id = f.id) as net
                from current_charge f join charging_interval i on i.id = f.interval_id
                union all select r.charge_id, s.account, true, r.amount_microdenarii, r.amount_microdenarii
                from call_request r join call_session s on s.id = r.call_id where r.charge_id is not null) c on c.id = d.charge_id
              group by c.id, c.net, c.account, c.is_first, c.first
              having min(d.amount) < 0 or sum(d.amount) filter (where o.wallet_id is not null) > c.net
                or c.is_first and sum(d.amount) > c.first or bool_or(w.account <> c.account)
              """),
          // Clocks of two instances may differ, and a time is read before a lock is taken: hence
          // the minute.
          new Invariant(
              "wallet-order",
              "while a wallet had money, charges drew from wallets before prepaid money",
              """
              select 'wallet ' || w.id || ' had ' || coalesce(o.rest_microdenarii, e.amount_microdenarii) || ' left, charge ' || c.id
                     || ' drew ' || coalesce(d.drawn, 0) || ' of ' || c.net
              from wallet w left join open_wallet o on o.wallet_id = w.id left join wallet_expiry e on e.wallet_id = w.id
              join charging_interval i on i.account = w.account and i.started_at < w.expires_at
              join ledger_transaction t on t.interval_id = i.id and t.kind in ('PROVISIONAL', 'CORRECTION', 'ADJUSTMENT')
                and t.posted_at > w.granted_at + interval '1 minute'
                and t.posted_at < coalesce(e.expired_at, 'infinity') - interval '1 minute'
              join charge c on c.interval_id = i.id
              left join lateral (select sum(x.amount_microdenarii) drawn, min(x.amount_microdenarii) least
                from wallet_draw x where x.charge_id = c.id) d on true
              where coalesce(o.rest_microdenarii, e.amount_microdenarii) > 0 and coalesce(d.drawn, 0) < c.net
                and coalesce(d.least, 1) > 0
                and not exists (select from wallet_draw b where b.wallet_id = w.id and b.amount_microdenarii < 0)
              """),
          new Invariant(
              "vouchers",
              "VOUCHERS is what sold vouchers that have not ended are worth",
              """
              select 'VOUCHERS ' || c.balance || ', open ' || o.worth
              from (select coalesce(sum(amount_microdenarii), 0) balance from posting where account = 'VOUCHERS') c,
                   (select coalesce(sum(b.amount_microdenarii), 0) worth from voucher v join voucher_batch b on b.id = v.batch_id
                    where not exists (select from voucher_end e where e.voucher_id = v.id)) o
              where c.balance <> o.worth
              """),
          new Invariant(
              "redeemed-vouchers",
              "each redeemed voucher is posted with its amount, to the account that redeemed it",
              """
              select 'voucher ' || v.batch_id || '-' || v.number from voucher_end e
              join voucher v on v.id = e.voucher_id join voucher_batch b on b.id = v.batch_id
              left join posting p on p.transaction_id = e.transaction_id and p.account = 'USER:' || e.account
              where e.how = 'REDEEMED' and p.amount_microdenarii is distinct from b.amount_microdenarii
                and e.transaction_id >= kept_from()
              """),
          new Invariant(
              "calls",
              "each told second of a call is posted once, at the price of its tariff",
              """
              with fees as materialized (select version, (document -> 'fees' ->> 'PER_CALL_SECOND')::numeric * 1000000 fee from tariff)
              select 'call ' || c.id || ', request ' || r.number || ': ' || coalesce(-p.amount_microdenarii, 0) || ' for ' || r.seconds || ' s'
              from call_request r join call_session c on c.id = r.call_id join fees v on v.version = c.tariff_version
              left join posting p on p.transaction_id = r.transaction_id and p.account = 'USER:' || c.account
              where coalesce(abs(c.microdenarii_per_second - v.fee) > 0.500001, true)
                or r.amount_microdenarii <> r.seconds * c.microdenarii_per_second
                or (r.transaction_id is null) <> (r.amount_microdenarii = 0)
                or r.transaction_id >= kept_from() and p.amount_microdenarii is distinct from -r.amount_microdenarii
              union all
              select t.identity from ledger_transaction t where t.kind = 'CALL'
                and (select count(*) from call_request r where r.transaction_id = t.id) <> 1
              """),
          new Invariant(
              "payments",
              "each paid payment is posted with its amount, by one top-up",
              """
              select 'payment ' || p.id from payment p join payment_event e on e.payment_id = p.id and e.kind = 'PAID'
              left join top_up u on u.transaction_id = e.transaction_id
              where u.account is distinct from p.account or u.amount_microdenarii is distinct from p.amount_microdenarii
              """),
          new Invariant(
              "append-only",
              "no posted row can be updated or deleted",
              """
              select t.name || ' has no enabled trigger' from unnest(array['ledger_account', 'ledger_transaction', 'posting',
                'top_up', 'credit', 'cap_credit', 'tariff', 'surcharge', 'snapt_report', 'charge', 'charging_interval',
                'report_revision', 'charge_revision',
                'interval_decision', 'interval_key', 'ledger_identity', 'flow_peer', 'report_original', 'sealed', 'sealed_report', 'held_report', 'wallet', 'wallet_draw', 'wallet_expiry', 'interval_pass',
                'voucher_batch', 'voucher', 'voucher_end',
                'payment', 'payment_event', 'credit_block', 'call_request', 'carried_flow',
                'receipt_chain', 'receipt_link', 'receipt_root', 'receipt_level', 'receipt_key', 'snapt_key']) t(name)
              where (select count(*) from pg_trigger g where g.tgrelid = t.name::regclass and g.tgenabled in ('O', 'A')
                     and g.tgname in (t.name || '_rows_stay', t.name || '_stays')) <> 2
              """));

  private final JdbcClient jdbc;
  private final Snapshot snapshot;
  private final List<Recomputation> others;

  public LedgerVerification(JdbcClient jdbc, Snapshot snapshot) {
    this(jdbc, snapshot, List.of());
  }

  /// @param others checks that one query cannot do; they run in the same snapshot
  public LedgerVerification(JdbcClient jdbc, Snapshot snapshot, List<Recomputation> others) {
    this.jdbc = jdbc;
    this.snapshot = snapshot;
    this.others = List.copyOf(others);
  }

  /// Checks all invariants. Billing continues meanwhile.
  public List<Check> run() {
    return run(_ -> {});
  }

  /// Checks all invariants, and tells after each how many are done.
  public List<Check> run(IntConsumer progress) {
    return snapshot.read(() -> checkAll(progress));
  }

  /// Returns the number of invariants.
  int size() {
    return INVARIANTS.size() + others.size();
  }

  private List<Check> checkAll(IntConsumer progress) {
    List<Check> checks = new ArrayList<>();
    for (Invariant invariant : INVARIANTS) {
      String counted =
          "select count(*), coalesce(min(x), '') from (" + invariant.broken() + ") broken(x)";
      checks.add(
          jdbc.sql(counted)
              .query(row -> {
                row.next();
                return new Check(
                    invariant.code(), invariant.name(), row.getLong(1), row.getString(2));
              }));
      progress.accept(checks.size());
    }
    for (Recomputation other : others) {
      checks.add(other.check());
      progress.accept(checks.size());
    }
    return checks;
  }

  /// Returns the sum of all postings, in micro-denarii. It must be 0.
  public BigDecimal imbalance() {
    return jdbc.sql("select coalesce(sum(amount_microdenarii), 0) from posting")
        .query(BigDecimal.class)
        .single();
  }

  /// Counts the users whose balance is below zero.
  public long usersBelowZero() {
    return jdbc.sql(
            """
            select count(*) from (select 1 from posting where account like 'USER:%'
              group by account having sum(amount_microdenarii) < 0) below
            """)
        .query(Long.class)
        .single();
  }
}
