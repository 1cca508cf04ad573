package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.account.TopUps;
import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.DelaySource;
import io.viaduct.billing.rating.Demand;
import io.viaduct.billing.rating.FlowMeasure;
import io.viaduct.billing.rating.RatedReport;
import io.viaduct.billing.rerating.ReratingOrder;
import io.viaduct.billing.settlement.SettlementRules;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Surcharge;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffVersion;
import io.viaduct.billing.tariff.Terms;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/// Compares generated histories with the oracle, on a real PostgreSQL, and recomputes every
/// invariant after each step. Histories have duplicates, conflicts, reordering, restarts of a
/// SNAPT, late and too late reports, unknown accounts, top-ups, settlements and re-ratings.
class LedgerHistoryProperties {
  // In force long after the histories, so that reports are not rated by them at first.
  private static final List<TariffVersion> CORRECTED = corrected();

  private static List<TariffVersion> corrected() {
    MediationRig rig = new MediationRig("nobody");
    Instant now = rig.clock.instant();
    Instant later = now.plus(Duration.ofDays(365L * 300));
    return List.of(
        rig.tariffs.add(
            SeedTariff.at(OperatingPoint.OFFERED, "{\"fees\":{\"PER_MINUTE\":0.2}}"),
            later,
            "operator",
            now),
        rig.tariffs.add(
            SeedTariff.at(OperatingPoint.MEASURED, "{\"refunds\":{\"DELAY\":0.3}}"),
            later,
            "operator",
            now));
  }

  /// One step of a history. `numbers` select what is submitted.
  record Step(Kind kind, List<Integer> numbers) {
    enum Kind {
      SUBMIT,
      TOP_UP,
      WAIT,
      SETTLE,
      RERATE
    }
  }

  @Provide
  Arbitrary<List<Step>> histories() {
    Arbitrary<Step.Kind> kinds =
        Arbitraries.frequency(
            net.jqwik.api.Tuple.of(6, Step.Kind.SUBMIT),
            net.jqwik.api.Tuple.of(1, Step.Kind.TOP_UP),
            net.jqwik.api.Tuple.of(2, Step.Kind.WAIT),
            net.jqwik.api.Tuple.of(2, Step.Kind.SETTLE),
            net.jqwik.api.Tuple.of(2, Step.Kind.RERATE));
    Arbitrary<List<Integer>> numbers =
        Arbitraries.integers().between(0, 1 << 20).list().ofMinSize(1).ofMaxSize(8);
    return Combinators.combine(kinds, numbers).as(Step::new).list().ofMinSize(3).ofMaxSize(12);
  }

  @Property(tries = 25, shrinking = ShrinkingMode.BOUNDED)
  void anyHistoryLeavesTheBalancesOfTheOracle(
      @ForAll("histories") List<Step> history, @ForAll boolean hasAllLines) {
    History run = new History(hasAllLines);
    for (Step step : history) {
      run.apply(step);
      run.compare();
    }
  }

  @Example
  void reportsOfOneBatchAreDecidedInTheirOrder() {
    // The second report has the key of the first, which is held. The fourth raises the epoch of
    // their session.
    History run = new History(false);
    run.apply(new Step(Step.Kind.SUBMIT, List.of(2, 180, 1048575, 16446, 47487, 1048576)));
    run.compare();
  }

  @Property(tries = 12, shrinking = ShrinkingMode.BOUNDED)
  void anyOrderAndAnyRepetitionWithinTheGraceTimeGivesTheSameBalances(
      @ForAll Random order,
      @ForAll("repetitions") List<Integer> repeated,
      @ForAll boolean hasAllLines) {
    long expected = 0;
    History run = new History(hasAllLines);
    List<OracleLedger.Spec> specs = new ArrayList<>();
    for (int sequence = 0; sequence < 8; sequence++) {
      OracleLedger.Spec spec = run.spec(0, 0, sequence, 0, 0, true);
      specs.add(spec);
      expected -= spec.bill().net().value();
    }
    // Each report comes with its receipt at some time. It also comes without receipt before, after
    // or never.
    repeated.forEach(i -> specs.add(i < 8 ? specs.get(i) : run.spec(0, 0, i - 8, 0, 0, false)));
    Collections.shuffle(specs, order);
    for (OracleLedger.Spec spec : specs) {
      run.submit(List.of(spec));
    }
    assertThat(run.rig.balance(run.account(0))).isEqualTo(expected);
    run.compare();
  }

  @Provide
  Arbitrary<List<Integer>> repetitions() {
    return Arbitraries.integers().between(0, 15).list().ofMaxSize(16);
  }

  /// One run with its own accounts, SNAPT, owner and oracle in the shared database.
  private static final class History {
    private static final int ACCOUNTS = 2;

    private final String tag = UUID.randomUUID().toString().substring(0, 8);
    private final String owner = "owner-" + tag;
    // Some reports without receipt stay within this bound; the third one of an account exceeds it.
    private static final MicroDenarii UNSIGNED = new MicroDenarii(6_000_000);
    private final MediationRig rig =
        new MediationRig(
            owner, new SettlementRules.Bounds(MediationRig.BOUNDS.charge(), UNSIGNED, 1000));
    private final OracleLedger oracle = new OracleLedger(UNSIGNED.value());
    private final Terms terms;
    private final Instant begin;
    private int runs;

    private History(boolean hasAllLines) {
      terms = hasAllLines ? allLines() : Terms.of(rig.tariffs.versions().getFirst().tariff());
      begin = rig.clock.instant().truncatedTo(ChronoUnit.MILLIS);
      for (int i = 0; i < ACCOUNTS; i++) {
        rig.openAccount(account(i));
        oracle.open(account(i));
      }
    }

    // The time is far ahead, so that no other test of this database uses this tariff.
    private Terms allLines() {
      rig.clock.advance(Duration.ofDays(365L * 40));
      Instant now = rig.clock.instant();
      Tariff tariff =
          SeedTariff.at(
              OperatingPoint.OFFERED,
              "{\"fees\":{\"PER_MEGABYTE\":0.02,\"PER_MINUTE\":0.03},\"refunds\":{\"DELAY\":0.5},"
                  + "\"discount\":{\"base\":\"SAVED\",\"denarii-per-megabyte\":0.5,\"cap\":0.3,"
                  + "\"beneficiary\":\"SPLIT\"}}");
      Surcharge surcharge = new Surcharge(Map.of(ServiceClass.HT_LD, 0.07));
      rig.tariffs.add(tariff, now, "operator", now);
      rig.surcharges.add(owner, surcharge, now, "operator", now);
      rig.clock.advance(Duration.ofMinutes(1));
      return new Terms(tariff, surcharge);
    }

    private String account(int i) {
      return "user" + i + "-" + tag;
    }

    private void apply(Step step) {
      switch (step.kind()) {
        case SUBMIT -> submit(step.numbers().stream().map(this::spec).toList());
        case TOP_UP -> step.numbers().forEach(this::topUp);
        case WAIT -> {
          // Usually some minutes; sometimes beyond the adjustment time.
          int minutes = step.numbers().getFirst() % 8;
          rig.clock.advance(minutes == 7 ? Duration.ofHours(23) : Duration.ofMinutes(minutes));
        }
        case SETTLE -> {
          rig.settlement.settleDue(rig.clock.instant());
          oracle.settle(rig.clock.instant());
        }
        case RERATE -> rerate(step.numbers().getFirst());
      }
    }

    private void rerate(int n) {
      TariffVersion corrected = CORRECTED.get(n % CORRECTED.size());
      Instant from = begin.plusSeconds(60L * ((n >> 1) % 5 - 2));
      Instant to = from.plusSeconds(60L * ((n >> 4) % 5 + 1));
      // Of one account: other tests of this database have intervals at this time, too.
      String account = account((n >> 7) % ACCOUNTS);
      oracle.rerate(
          new OracleLedger.Correction(from, to, account, spec -> bill(spec, corrected.tariff())));
      rig.reratings.begin(
          new ReratingOrder(
              tag + "-" + runs++,
              from,
              to,
              account,
              null,
              corrected.version(),
              "the weight was wrong",
              "operator"),
          rig.clock.instant());
      rig.rerating.workOff(rig.clock.instant());
    }

    private BillLines bill(OracleLedger.Spec spec, Tariff tariff) {
      String[] parts = spec.content().split(" ");
      return RatedReport.of(
              flows(Integer.parseInt(parts[0]), (int) spec.sequence(), Integer.parseInt(parts[4]))
                  .stream()
                  .map(History::measure)
                  .toList(),
              60_000,
              new Terms(tariff, terms.surcharge()))
          .lines();
    }

    private OracleLedger.Spec spec(int n) {
      int account = n % 37 == 0 ? ACCOUNTS : (n >> 1) % ACCOUNTS;
      return spec(
          n % 2, (n >> 3) % 2, (n >> 5) % 5, account, (n >> 8) % 9 == 0 ? 1 : 0, (n >> 12) % 3 > 0);
    }

    private OracleLedger.Spec spec(
        int session, int epoch, int sequence, int account, int variant, boolean receipt) {
      Instant end = begin.plusSeconds(60L * sequence);
      BillLines bill =
          RatedReport.of(
                  flows(session, sequence, variant).stream().map(History::measure).toList(),
                  60_000,
                  terms)
              .lines();
      // The account is part of the content: the same key with another account is a conflict.
      String content = session + " " + epoch + " " + sequence + " " + account + " " + variant;
      return new OracleLedger.Spec(
          session + "-" + tag,
          epoch,
          sequence,
          account(account),
          content,
          end,
          bill,
          // An interval without bytes needs no receipt.
          receipt || sequence == 4);
    }

    private static List<FlowUsage> flows(int session, int sequence, int variant) {
      List<FlowUsage> flows = new ArrayList<>();
      for (int i = 0; i < sequence % 3 + 1; i++) {
        long pre = sequence == 4 ? 0 : 100_003L * (i + 1) * (session + 1) + variant;
        flows.add(Reports.flow(i, i == 0 ? "ssh" : "skype-video", pre, pre * 2 / 3, 120.5 * i));
      }
      return flows;
    }

    private static FlowMeasure measure(FlowUsage flow) {
      return new FlowMeasure(
          ServiceClass.HT_LD,
          flow.getApplication(),
          flow.getUp().getPreBytes() + flow.getDown().getPreBytes(),
          flow.getUp().getPostBytes() + flow.getDown().getPostBytes(),
          0.0,
          60_000,
          flow.getDelayMs(),
          null,
          DelaySource.MEASURED,
          Demand.UNKNOWN);
    }

    private UsageReport report(OracleLedger.Spec spec) {
      String[] parts = spec.content().split(" ");
      return Reports.report(
              "snapt-" + tag,
              spec.session(),
              spec.epoch(),
              spec.sequence(),
              spec.account(),
              spec.end(),
              flows(Integer.parseInt(parts[0]), (int) spec.sequence(), Integer.parseInt(parts[4])))
          .setLast(parts[4].equals("1"))
          .build();
    }

    private void submit(List<OracleLedger.Spec> specs) {
      List<ReportVerdict> expected =
          specs.stream().map(s -> oracle.submit(s, rig.clock.instant())).toList();
      List<SignedUsageReport> envelopes =
          specs.stream()
              .map(s -> s.signed() ? Reports.signed(report(s)) : Reports.unsigned(report(s)))
              .toList();
      assertThat(
              rig.mediation.submit(Reports.requestOf(rig.clock.instant(), envelopes)).getAcksList())
          .extracting(ReportAck::getVerdict)
          .isEqualTo(expected);
      rig.rerating.workOff(rig.clock.instant());
    }

    private void topUp(int n) {
      String key = tag + "-" + n % 3;
      long amount = n % 5 + 1;
      String account = account(n % ACCOUNTS);
      boolean moved = oracle.topUp(key, account, amount);
      TopUps.Result result =
          rig.topUps.post(
              key, account, new MicroDenarii(amount), "test", "operator", rig.clock.instant());
      assertThat(result instanceof TopUps.Result.Posted).isEqualTo(moved);
    }

    private void compare() {
      for (int i = 0; i < ACCOUNTS; i++) {
        assertThat(rig.balance(account(i)))
            .as(account(i))
            .isEqualTo(oracle.balance("USER:" + account(i)));
      }
      assertThat(rig.ledger.balance(LedgerAccount.provider(owner)).value())
          .isEqualTo(oracle.balance("PROVIDER"));
      assertThat(posted("CLEARING")).isEqualTo(oracle.balance("CLEARING"));
      assertThat(posted("OPERATOR:REVENUE")).isEqualTo(oracle.balance("REVENUE"));
      assertThat(posted("OPERATOR:FEES")).isEqualTo(oracle.balance("FEES"));
      assertThat(posted("OPERATOR:DISCOUNT")).isEqualTo(oracle.balance("DISCOUNT"));
      assertThat(posted("OPERATOR:ADJUSTMENT")).isEqualTo(oracle.balance("ADJUSTMENT"));
      assertThat(
              rig.jdbc.queryForObject(
                  "select count(*) from charging_interval where snapt_id = ?",
                  Integer.class,
                  "snapt-" + tag))
          .isEqualTo(oracle.size());
      assertThat(rig.broken()).isEmpty();
    }

    // Returns the part of a shared account's balance that comes from this run's SNAPT.
    private long posted(String account) {
      return rig.jdbc.queryForObject(
          "select coalesce(sum(p.amount_microdenarii), 0)::bigint from posting p"
              + " join ledger_transaction t on t.id = p.transaction_id"
              + " join charging_interval i on i.id = t.interval_id"
              + " where p.account = ? and i.snapt_id = ?",
          Long.class,
          account,
          "snapt-" + tag);
    }
  }
}
