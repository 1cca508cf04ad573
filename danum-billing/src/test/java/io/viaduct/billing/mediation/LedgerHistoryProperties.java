package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.account.Credits;
import io.viaduct.billing.account.TopUps;
import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.DelaySource;
import io.viaduct.billing.rating.Demand;
import io.viaduct.billing.rating.FlowMeasure;
import io.viaduct.billing.rating.RatedFlow;
import io.viaduct.billing.rating.RatedReport;
import io.viaduct.billing.receipts.SealedStatements;
import io.viaduct.billing.rerating.Rerating;
import io.viaduct.billing.rerating.ReratingOrder;
import io.viaduct.billing.settlement.SettlementRules;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Surcharge;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffVersion;
import io.viaduct.billing.tariff.Terms;
import io.viaduct.denarii.statement.StatementCheck;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedDeviceReport;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import org.jspecify.annotations.Nullable;

/// Compares generated histories with the oracle, on a real PostgreSQL, and recomputes every
/// invariant after each step. One generator makes them: histories have duplicates, conflicts,
/// reordering, lost reports, restarts of a SNAPT and of billing, sessions that report to two
/// billing instances at once, late and too late reports, unknown accounts, changes of the tariff,
/// top-ups, credits, refunds, reservations, settlements, re-ratings, reports of devices that agree,
/// differ, come alone or are too late, neighbours that relay, wallets that expire, and caps of an
/// hour and a day.
class LedgerHistoryProperties {
  private static final BigDecimal RELAYED = new BigDecimal("0.5");
  // Every tariff has these two, so that the oracle need not know which one counts for a day.
  private static final long CAP_OF_HOUR = 4_000_000;
  private static final long CAP_OF_DAY = 6_500_000;
  private static final String CAPS = "\"APPLICATION_HOUR\":4.0,\"ACCOUNT_DAY\":6.5";
  private static final TariffVersion FORGOTTEN_FEE =
      corrected(OperatingPoint.OFFERED, "{\"caps\":{%s},\"fees\":{\"PER_MINUTE\":0.2}}");
  private static final TariffVersion FORGOTTEN_CAP =
      corrected(OperatingPoint.MEASURED, "{\"caps\":{%s,\"FLOW_INTERVAL\":5.0}}");
  private static final List<TariffVersion> CORRECTED =
      List.of(
          FORGOTTEN_FEE,
          FORGOTTEN_CAP,
          corrected(OperatingPoint.OFFERED, "{\"caps\":{%s},\"refunds\":{\"DELAY\":0.3}}"));

  // In force long after the histories, so that reports are not rated by them at first.
  private static TariffVersion corrected(OperatingPoint point, String changes) {
    MediationRig rig = new MediationRig("nobody");
    Instant now = rig.clock.instant();
    return rig.tariffs.add(
        SeedTariff.at(point, changes.formatted(CAPS)),
        now.plus(Duration.ofDays(365L * 300)),
        "operator",
        now);
  }

  /// One step of a history. `numbers` select what is submitted.
  record Step(Kind kind, List<Integer> numbers) {
    enum Kind {
      SUBMIT,
      SUBMIT_TOGETHER,
      SUBMIT_BY_DEVICE,
      CHARGE_BY_DEVICES,
      TOP_UP,
      GIVE_BACK,
      GRANT,
      EXPIRE,
      RESERVE,
      CHANGE_TARIFF,
      RESTART_BILLING,
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
            net.jqwik.api.Tuple.of(2, Step.Kind.SUBMIT_TOGETHER),
            net.jqwik.api.Tuple.of(4, Step.Kind.SUBMIT_BY_DEVICE),
            net.jqwik.api.Tuple.of(2, Step.Kind.CHARGE_BY_DEVICES),
            net.jqwik.api.Tuple.of(1, Step.Kind.TOP_UP),
            net.jqwik.api.Tuple.of(2, Step.Kind.GIVE_BACK),
            net.jqwik.api.Tuple.of(3, Step.Kind.GRANT),
            net.jqwik.api.Tuple.of(2, Step.Kind.EXPIRE),
            net.jqwik.api.Tuple.of(2, Step.Kind.RESERVE),
            net.jqwik.api.Tuple.of(1, Step.Kind.CHANGE_TARIFF),
            net.jqwik.api.Tuple.of(1, Step.Kind.RESTART_BILLING),
            net.jqwik.api.Tuple.of(2, Step.Kind.WAIT),
            net.jqwik.api.Tuple.of(2, Step.Kind.SETTLE),
            net.jqwik.api.Tuple.of(2, Step.Kind.RERATE));
    Arbitrary<List<Integer>> numbers =
        Arbitraries.integers().between(0, 1 << 20).list().ofMinSize(1).ofMaxSize(8);
    return Combinators.combine(kinds, numbers).as(Step::new).list().ofMinSize(3).ofMaxSize(16);
  }

  @Property(tries = 25, shrinking = ShrinkingMode.BOUNDED)
  void anyHistoryLeavesTheBalancesOfTheOracle(
      @ForAll("histories") List<Step> history, @ForAll boolean hasAllLines) {
    History run = new History(hasAllLines);
    for (Step step : history) {
      run.apply(step);
      run.compareSums();
    }
    run.end();
  }

  @Example
  void reportsOfOneBatchAreDecidedInTheirOrder() {
    // The second report has the key of the first, which is held. The fourth raises the epoch of
    // their session.
    History run = new History(false);
    run.apply(new Step(Step.Kind.SUBMIT, List.of(2, 180, 1048575, 16446, 47487, 1048576)));
    run.compare();
  }

  @Example
  void aHistoryCanReservePriceAnewAndGiveBack() {
    // The generator's steps have these effects, so that the property above is about them.
    History run = new History(false);
    run.apply(new Step(Step.Kind.TOP_UP, List.of(4, 1)));
    run.apply(new Step(Step.Kind.RESERVE, List.of(1, 2)));
    run.compare();
    assertThat(run.reserving.reserved(run.account(0))).isPositive();
    run.apply(new Step(Step.Kind.RESERVE, List.of(0, 3)));
    run.compare();
    run.apply(new Step(Step.Kind.CHANGE_TARIFF, List.of(2)));
    run.apply(new Step(Step.Kind.WAIT, List.of(6)));
    run.apply(new Step(Step.Kind.SUBMIT_TOGETHER, List.of(0, 3 << 5)));
    run.compare();
    OracleLedger.Spec use = run.spec(0, 0, 0, 0, 0, true);
    assertThat(run.oracle.bill(use, run.begin).net())
        .as("price of equal use before and after the change")
        .isNotEqualTo(run.oracle.bill(use, run.rig.clock.instant()).net());
    run.apply(new Step(Step.Kind.RESTART_BILLING, List.of(0)));
    run.apply(new Step(Step.Kind.GIVE_BACK, List.of(1, 2, 3)));
    run.compare();
    assertThat(run.oracle.balance("GOODWILL")).isNegative();
  }

  @Example
  void aHistoryCanMakeBillsAgainThatWereMadeUnderDifferentTariffs() {
    History run = new History(false);
    OracleLedger.Spec before = run.spec(0, 0, 0, 0, 0, true);
    OracleLedger.Spec after = run.spec(0, 0, 3, 0, 0, true);
    run.submit(List.of(before));
    run.apply(new Step(Step.Kind.CHANGE_TARIFF, List.of(2)));
    run.apply(new Step(Step.Kind.WAIT, List.of(6)));
    run.submit(List.of(after));
    long paid = run.oracle.net(before);
    assertThat(run.oracle.net(after)).isGreaterThan(paid);

    Instant from = run.begin.minusSeconds(60);
    Rerating fee = run.rerate(FORGOTTEN_FEE, from, run.rig.clock.instant(), run.account(0));
    run.compare();
    assertThat(fee.changed()).isEqualTo(2);
    assertThat(run.oracle.net(before)).isEqualTo(run.oracle.net(after)).isNotEqualTo(paid);

    // Two thirds of the first charge are refunded. That is more than the cap leaves of it.
    run.apply(new Step(Step.Kind.GIVE_BACK, List.of(2)));
    paid = run.oracle.net(before);
    Rerating cap = run.rerate(FORGOTTEN_CAP, from, run.rig.clock.instant(), run.account(0));
    run.compare();
    assertThat(cap.refunded()).isEqualTo(1);
    assertThat(run.oracle.net(before)).isEqualTo(paid).isGreaterThan(run.oracle.net(after));
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
      expected -= run.oracle.bill(spec, spec.end()).net().value();
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
    // Tariffs are shared by all tests. So each run has days of its own, far ahead of other tests.
    private static final AtomicInteger RUNS = new AtomicInteger();
    private static final Duration AHEAD = Duration.ofDays(365L * 40);
    private static final Duration DAYS_OF_A_RUN = Duration.ofDays(40);
    private static final List<String> TARIFFS =
        List.of(
            "{\"caps\":{%s}}",
            "{\"caps\":{%s},\"fees\":{\"PER_MEGABYTE\":0.02,\"PER_MINUTE\":0.03},\"refunds\":{\"DELAY\":0.5},"
                + "\"discount\":{\"base\":\"SAVED\",\"denarii-per-megabyte\":0.5,\"cap\":0.3,"
                + "\"beneficiary\":\"SPLIT\"}}",
            "{\"caps\":{%s},\"fees\":{\"PER_MEGABYTE\":0.5},\"relay-share\":0.3}");

    private MediationRig rig =
        new MediationRig(
            owner, new SettlementRules.Bounds(MediationRig.BOUNDS.charge(), UNSIGNED, 1000));
    private final OracleLedger oracle = new OracleLedger(UNSIGNED.value());
    private final ReservingSessions reserving;
    private final Surcharge surcharge;
    private final Instant begin;
    private int reratings;

    private History(boolean hasAllLines) {
      rig.clock.advance(AHEAD.plus(DAYS_OF_A_RUN.multipliedBy(RUNS.getAndIncrement())));
      changeTariff(hasAllLines ? 1 : 0, Duration.ZERO);
      surcharge = new Surcharge(hasAllLines ? Map.of(ServiceClass.HT_LD, 0.07) : Map.of());
      Instant now = rig.clock.instant();
      rig.surcharges.add(owner, surcharge, now, "operator", now);
      // All of a history begins in one hour, in which these tariffs are in force from its start.
      rig.clock.advance(
          Duration.between(now, now.truncatedTo(ChronoUnit.DAYS).plus(1, ChronoUnit.DAYS)));
      rig.clock.advance(Duration.ofMinutes(10));
      begin = rig.clock.instant();
      for (int i = 0; i < ACCOUNTS; i++) {
        rig.openAccount(account(i));
        oracle.open(account(i));
      }
      reserving = new ReservingSessions(rig, "snapt-" + tag, owner);
    }

    private void changeTariff(int n, Duration later) {
      OperatingPoint point =
          n % TARIFFS.size() == 0 ? OperatingPoint.MEASURED : OperatingPoint.OFFERED;
      Tariff tariff = SeedTariff.at(point, TARIFFS.get(n % TARIFFS.size()).formatted(CAPS));
      Instant now = rig.clock.instant();
      rig.tariffs.add(tariff, now.plus(later), "operator", now);
      oracle.changeTariff(now.plus(later), tariff);
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
          int minutes = step.numbers().getFirst() % 9;
          rig.clock.advance(
              switch (minutes) {
                case 8 -> Duration.ofMinutes(65); // devices' reports are charged
                case 7 -> Duration.ofHours(23);
                default -> Duration.ofMinutes(minutes);
              });
        }
        case SUBMIT_BY_DEVICE -> step.numbers().forEach(this::submitByDevice);
        case CHARGE_BY_DEVICES -> {
          rig.chargeByDevices();
          oracle.chargeByDevices(rig.clock.instant());
          workOff();
        }
        case SUBMIT_TOGETHER -> submitTogether(step.numbers());
        case GIVE_BACK -> step.numbers().forEach(this::giveBack);
        case GRANT -> step.numbers().forEach(this::grant);
        case EXPIRE -> {
          rig.grants.expireDue(rig.clock.instant());
          oracle.expire(rig.clock.instant(), account -> reserving.reserved(account) > 0);
        }
        case RESERVE -> step.numbers().forEach(n -> reserving.step(n, account(n % ACCOUNTS)));
        case CHANGE_TARIFF -> {
          int n = step.numbers().getFirst();
          changeTariff(n, Duration.ofMinutes((n >> 4) % 3));
        }
        case RESTART_BILLING -> rig = rig.another();
        case SETTLE -> {
          rig.settlement.settleDue(rig.clock.instant());
          workOff();
          oracle.settle(rig.clock.instant());
        }
        case RERATE -> step.numbers().forEach(this::rerate);
      }
    }

    private void workOff() {
      rig.rerating.workOff(rig.clock.instant());
      oracle.workOff();
      rig.relayRewards.payDue(rig.clock.instant());
    }

    // Of one account, so that two runs of a history may differ in their accounts.
    private void rerate(int n) {
      Instant from = begin.plusSeconds(60L * ((n >> 1) % 5 - 2));
      Instant to = from.plusSeconds(60L * ((n >> 4) % 5 + 1));
      rerate(CORRECTED.get(n % CORRECTED.size()), from, to, account((n >> 7) % ACCOUNTS));
    }

    private Rerating rerate(TariffVersion corrected, Instant from, Instant to, String account) {
      oracle.rerate(new OracleLedger.Correction(from, to, account, corrected.tariff()));
      String id = tag + "-" + reratings++;
      rig.reratings.begin(
          new ReratingOrder(
              id, from, to, account, null, corrected.version(), "a price was wrong", "operator"),
          rig.clock.instant());
      workOff();
      return rig.reratings.find(id).orElseThrow();
    }

    private OracleLedger.Spec spec(int n) {
      int account = n % 37 == 0 ? ACCOUNTS : (n >> 1) % ACCOUNTS;
      return spec(
          n % 2, (n >> 3) % 2, (n >> 5) % 5, account, (n >> 8) % 9 == 0 ? 1 : 0, (n >> 12) % 3 > 0);
    }

    private OracleLedger.Spec spec(
        int session, int epoch, int sequence, int account, int variant, boolean receipt) {
      Instant end = begin.plusSeconds(60L * sequence);
      // The account is part of the content: the same key with another account is a conflict.
      String content = session + " " + epoch + " " + sequence + " " + account + " " + variant;
      return new OracleLedger.Spec(
          session + "-" + tag,
          epoch,
          sequence,
          account(account),
          content,
          end,
          tariff -> bill(session, sequence, variant, tariff),
          // An interval without bytes needs no receipt.
          receipt || sequence == 4,
          sequence == 1 ? new OracleLedger.Relay(other(account), RELAYED) : null);
    }

    // The neighbour of an account carries half of one of its intervals.
    private String other(int account) {
      return account(account == 0 ? 1 : 0);
    }

    private List<BillLines> bill(int session, int sequence, int variant, Tariff tariff) {
      return RatedReport.of(
              flows(session, sequence, variant).stream().map(History::measure).toList(),
              60_000,
              new Terms(tariff, surcharge))
          .flows()
          .stream()
          .map(RatedFlow::lines)
          .toList();
    }

    private static List<FlowUsage> flows(int session, int sequence, int variant) {
      List<FlowUsage> flows = new ArrayList<>();
      for (int i = 0; i < sequence % 3 + 1; i++) {
        long pre = sequence == 4 ? 0 : 100_003L * (i + 1) * (session + 1) + variant;
        flows.add(Reports.flow(i, OracleLedger.APPLICATION.apply(i), pre, pre * 2 / 3, 120.5 * i));
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
      UsageReport.Builder report =
          Reports.report(
                  "snapt-" + tag,
                  spec.session(),
                  spec.epoch(),
                  spec.sequence(),
                  spec.account(),
                  spec.end(),
                  flows(
                      Integer.parseInt(parts[0]),
                      (int) spec.sequence(),
                      Integer.parseInt(parts[4])))
              .setLast(parts[4].equals("1"));
      if (spec.relay() != null) {
        report
            .addRelaysBuilder()
            .setAccount(spec.relay().account())
            .setBytes(report.getPostBytes());
        report.setOverheadBytes(report.getPostBytes());
      }
      return report.build();
    }

    // The device has seen the bytes of the SNAPT's report, or much more. What it says is charged
    // without savings.
    private void submitByDevice(int n) {
      OracleLedger.Spec spec = spec(n);
      UsageReport report = report(spec);
      long more = (n >> 14) % 4 == 0 && spec.sequence() != 4 ? 3_000_000 : 0;
      SignedDeviceReport signed = Reports.ofDevice(report, more);
      OracleLedger.Spec seen =
          new OracleLedger.Spec(
              spec.session(),
              spec.epoch(),
              spec.sequence(),
              spec.account(),
              spec.content(),
              spec.end(),
              tariff -> billOfDevice(report, more, tariff),
              true,
              null);
      assertThat(rig.submit(signed))
          .isEqualTo(oracle.submitByDevice(seen, report.getPreBytes() + more, rig.clock.instant()));
    }

    private List<BillLines> billOfDevice(UsageReport report, long more, Tariff tariff) {
      List<FlowMeasure> flows = new ArrayList<>();
      for (FlowUsage flow : report.getFlowsList()) {
        long bytes =
            flow.getUp().getPreBytes()
                + flow.getDown().getPreBytes()
                + (flows.isEmpty() ? more : 0);
        flows.add(
            new FlowMeasure(
                ServiceClass.HT_LD,
                flow.getApplication(),
                bytes,
                bytes,
                0.0,
                60_000,
                flow.getDelayMs(),
                null,
                DelaySource.MEASURED,
                Demand.UNKNOWN));
      }
      return RatedReport.of(flows, 60_000, new Terms(tariff, surcharge)).flows().stream()
          .map(RatedFlow::lines)
          .toList();
    }

    private void submit(List<OracleLedger.Spec> specs) {
      List<ReportVerdict> expected = expected(specs);
      assertThat(submitted(rig, specs)).isEqualTo(expected);
      workOff();
    }

    private List<ReportVerdict> expected(List<OracleLedger.Spec> specs) {
      List<ReportVerdict> verdicts =
          specs.stream()
              .map(s -> oracle.submit(s, report(s).getPreBytes(), rig.clock.instant()))
              .toList();
      oracle.endRound();
      return verdicts;
    }

    private List<ReportVerdict> submitted(MediationRig to, List<OracleLedger.Spec> specs) {
      List<SignedUsageReport> envelopes =
          specs.stream()
              .map(s -> s.signed() ? Reports.signed(report(s)) : Reports.unsigned(report(s)))
              .toList();
      return to
          .mediation
          .submit(Reports.requestOf(to.clock.instant(), envelopes))
          .getAcksList()
          .stream()
          .map(ReportAck::getVerdict)
          .toList();
    }

    // Two sessions of the same accounts report at the same time, each to an instance of its own.
    // Signed reports of two sessions do not depend on each other, so their order does not matter.
    private void submitTogether(List<Integer> numbers) {
      List<OracleLedger.Spec> one = new ArrayList<>();
      List<OracleLedger.Spec> other = new ArrayList<>();
      for (int n : numbers) {
        int account = (n >> 1) % ACCOUNTS;
        one.add(spec(0, (n >> 3) % 2, (n >> 5) % 5, account, 0, true));
        other.add(spec(1, (n >> 4) % 2, (n >> 8) % 5, account, 0, true));
      }
      MediationRig second = rig.another();
      if (!oracle.wallets.isEmpty()) { // the order says which charge a wallet pays
        assertThat(submitted(rig, one)).isEqualTo(expected(one));
        assertThat(submitted(second, other)).isEqualTo(expected(other));
        workOff();
        return;
      }
      CompletableFuture<List<ReportVerdict>> beside =
          CompletableFuture.supplyAsync(() -> submitted(second, other));
      List<ReportVerdict> first = submitted(rig, one);
      assertThat(first).isEqualTo(expected(one));
      assertThat(beside.join()).isEqualTo(expected(other));
      workOff();
    }

    // A refund of a charge, of a third of it up to more than all, or a credit without a charge.
    private void giveBack(int n) {
      String key = tag + "-back-" + n % 5;
      List<OracleLedger.Spec> charged = oracle.refundable();
      if (charged.isEmpty() || n % 4 == 0) {
        String account = account(n % ACCOUNTS);
        boolean moved = oracle.credit(key, account, n % 7 + 1);
        assertThat(given(key, account, n % 7 + 1, null)).isEqualTo(moved);
        return;
      }
      OracleLedger.Spec spec = charged.get(n % charged.size());
      long amount = Math.max(1, oracle.net(spec) * (n % 4) / 3 + n % 2);
      boolean moved = oracle.refund(key, spec, amount);
      assertThat(given(key, spec.account(), amount, charge(spec))).isEqualTo(moved);
    }

    private boolean given(String key, String account, long amount, @Nullable Long charge) {
      return rig.credits.post(
              new Credits.Request(
                  key, account, new MicroDenarii(amount), "test", charge, "operator"),
              rig.clock.instant())
          instanceof Credits.Result.Posted;
    }

    private long charge(OracleLedger.Spec spec) {
      return rig.jdbc.queryForObject(
          "select c.id from charge c join charging_interval i on i.id = c.interval_id"
              + " where (i.snapt_id, i.epoch, i.sequence) = (?, ?, ?)"
              + " and regexp_replace(i.session_id, '^device:[0-9]+:', 'device:' || i.account || ':') = ?",
          Long.class,
          "snapt-" + tag,
          spec.epoch(),
          spec.sequence(),
          spec.session());
    }

    // From 2 min to 10 days, of one flow up to several intervals.
    private void grant(int n) {
      String key = tag + "-" + n % 6;
      String account = account(n % ACCOUNTS);
      long amount = ((n >> 1) % 4 + 1) * 2_500_000L;
      List<Duration> times =
          List.of(
              Duration.ofMinutes(2),
              Duration.ofMinutes(30),
              Duration.ofHours(20),
              Duration.ofDays(10));
      Instant expiry = rig.clock.instant().plus(times.get((n >> 3) % 4));
      if (oracle.grant(key, account, amount, expiry)) {
        rig.grant(key, account, amount, expiry);
      }
    }

    private void topUp(int n) {
      String key = tag + "-" + n % 3;
      long amount = (n % 5 + 1) * 20_000_000L; // some reservations fit, others do not
      String account = account(n % ACCOUNTS);
      boolean moved = oracle.topUp(key, account, amount);
      TopUps.Result result =
          rig.topUps.post(
              key, account, new MicroDenarii(amount), "test", "operator", rig.clock.instant());
      assertThat(result instanceof TopUps.Result.Posted).isEqualTo(moved);
    }

    private void compare() {
      compareSums();
      assertThat(rig.broken()).isEmpty();
    }

    // Without the invariants of the whole database, which has the rows of all tests.
    private void compareSums() {
      for (int i = 0; i < ACCOUNTS; i++) {
        assertThat(rig.balance(account(i)))
            .as(account(i))
            .isEqualTo(oracle.balance("USER:" + account(i)));
        assertThat(rig.rests(account(i)))
            .as("wallets of %s", account(i))
            .isEqualTo(oracle.wallets.rests(account(i)));
      }
      assertThat(posted(LedgerAccount.provider(owner).name()))
          .as("PROVIDER")
          .isEqualTo(oracle.balance("PROVIDER"));
      assertThat(posted("CLEARING")).as("CLEARING").isEqualTo(oracle.balance("CLEARING"));
      assertThat(posted("OPERATOR:REVENUE")).as("REVENUE").isEqualTo(oracle.balance("REVENUE"));
      assertThat(posted("OPERATOR:FEES")).as("FEES").isEqualTo(oracle.balance("FEES"));
      assertThat(posted("OPERATOR:DISCOUNT")).as("DISCOUNT").isEqualTo(oracle.balance("DISCOUNT"));
      assertThat(posted("OPERATOR:ADJUSTMENT"))
          .as("ADJUSTMENT")
          .isEqualTo(oracle.balance("ADJUSTMENT"));
      assertThat(
              rig.jdbc.queryForObject(
                  "select count(*) from charging_interval where snapt_id = ?",
                  Integer.class,
                  "snapt-" + tag))
          .isEqualTo(oracle.size());
      assertThat(
              rig.jdbc.queryForObject(
                  "select count(*) from discrepancy where snapt_id = ?",
                  Integer.class,
                  "snapt-" + tag))
          .isEqualTo(oracle.discrepancies);
      reserving.check();
    }

    // Everything that waits for a report is decided. The next run finds nothing of this one.
    private void end() {
      rig.clock.advance(MediationRig.ADJUSTMENT.plusMinutes(1));
      apply(new Step(Step.Kind.CHARGE_BY_DEVICES, List.of(0)));
      apply(new Step(Step.Kind.SETTLE, List.of(0)));
      compareSums();
      creditCaps();
      rig.clock.advance(Duration.ofDays(10));
      apply(new Step(Step.Kind.EXPIRE, List.of(0)));
      compare();
      statementsHold();
    }

    private void creditCaps() {
      rig.clock.advance(Duration.ofDays(1));
      rig.caps.creditDue(rig.clock.instant());
      oracle.creditCaps(CAP_OF_HOUR, CAP_OF_DAY);
      compareSums();
    }

    private void statementsHold() {
      for (int i = 0; i < ACCOUNTS; i++) {
        StatementCheck.Result statement = SealedStatements.check(account(i), rig.clock);
        assertThat(statement.findings()).isEmpty();
        assertThat(statement.balance()).isEqualTo(rig.balance(account(i)));
      }
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
