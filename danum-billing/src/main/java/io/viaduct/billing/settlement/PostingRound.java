package io.viaduct.billing.settlement;

import io.viaduct.billing.credit.CoveredUse;
import io.viaduct.billing.credit.CreditLock;
import io.viaduct.billing.credit.HighestPrices;
import io.viaduct.billing.credit.PostedReport;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.rating.RatedFlow;
import io.viaduct.billing.settlement.IntervalStore.BilledBefore;
import io.viaduct.billing.snapts.Ownership;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.TermsInForce;
import io.viaduct.billing.wallet.PaidCharge;
import io.viaduct.billing.wallet.Wallets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Decides and stores a batch of reports inside the caller's database transaction. No two reports
/// of a batch have the same identity.
final class PostingRound {
  private final JdbcTemplate batches;
  private final IntervalStore store;
  private final HeldReports held;
  private final JdbcClient jdbc;
  private final Ledger ledger;
  private final CoveredUse coveredUse;
  private final Wallets wallets;
  private final SettlementRules rules;
  private final Ownership owners;
  private final TermsInForce.Known terms;
  private final Instant now;

  private Map<String, AccountStanding> accounts = Map.of(); // by id
  private Map<String, Instant> erased = Map.of(); // ends of the times of erased users, by id
  private Map<IntervalStore.Session, Long> epochs = new HashMap<>();
  private Map<IntervalStore.Run, Long> sequences = Map.of();
  private Map<IntervalKey, BilledBefore> billedBefore = Map.of();
  private Map<String, HeldReports.HeldRow> heldRows = Map.of();
  private Map<String, Integer> heldBySnapt = Map.of();
  private DeviceReportMatches devices;
  private final Set<IntervalStore.Session> raisedSessions = new HashSet<>();
  private final Map<Long, Evidence> evidence = new HashMap<>(); // by interval
  private final List<BilledInterval> billed = new ArrayList<>();
  private Map<Long, Map<ServiceClass, Long>> beyondQuota = Map.of(); // bytes by interval

  PostingRound(
      JdbcTemplate batches,
      Ledger ledger,
      SettlementRules rules,
      Ownership owners,
      TermsInForce.Known terms,
      Instant now) {
    this.batches = batches;
    this.jdbc = JdbcClient.create(batches);
    this.store = new IntervalStore(batches);
    this.held = new HeldReports(jdbc);
    this.ledger = ledger;
    this.coveredUse =
        new CoveredUse(batches, HighestPrices.of(terms, owners, now, rules.adjustmentTime()), now);
    this.wallets = new Wallets(jdbc);
    this.rules = rules;
    this.owners = owners;
    this.terms = terms;
    this.now = now;
    this.devices = DeviceReportMatches.none(jdbc, ledger);
  }

  /// Posts the batch.
  ///
  /// @return one result for each report, in order
  List<PostResult> post(List<MeasuredInterval> arrived) {
    accounts = store.lockAccounts(arrived);
    erased =
        store.erased(
            arrived.stream()
                .filter(report -> !isPayable(report))
                .map(MeasuredInterval::account)
                .collect(Collectors.toSet()));
    CreditLock.take(jdbc, accounts.keySet());
    epochs = store.epochs(arrived);
    epochs.putAll(store.lockSessions(arrived.stream().filter(this::isPayable).toList()));
    sequences = new HashMap<>(store.highestSequences(arrived));
    billedBefore = store.billedBefore(arrived);
    heldRows = held.rows(arrived);
    heldBySnapt =
        new HashMap<>(
            held.waiting(arrived.stream().map(r -> r.key().snapt()).collect(Collectors.toSet())));
    devices = DeviceReportMatches.load(jdbc, ledger, arrived);
    List<MeasuredInterval> asArrived = arrived.stream().map(this::asOfFirstArrival).toList();
    CarriedFlows calls = CarriedFlows.load(jdbc, asArrived);
    List<MeasuredInterval> reports = asArrived.stream().map(calls::mark).toList();
    AccountBounds bounds = AccountBounds.load(jdbc, rules.bounds(), reports);

    List<Decision> decisions = reports.stream().map(r -> decide(r, bounds)).toList();
    store();
    List<PostResult> results = new ArrayList<>();
    for (int i = 0; i < reports.size(); i++) {
      results.add(settle(reports.get(i), decisions.get(i)));
    }
    // After the reversals of devices' reports, which give wallets back what these reports drew.
    wallets.pay(billed.stream().flatMap(PostingRound::paid).toList());
    store.decide(evidence, now);
    return results;
  }

  /// The decision about one report.
  private sealed interface Decision {
    record Bill(BilledInterval interval) implements Decision {}

    record Sign(BilledBefore interval) implements Decision {}

    record Hold(BilledInterval interval, HoldReason why, String detail) implements Decision {}

    record Answer(PostResult result) implements Decision {}
  }

  private boolean isPayable(MeasuredInterval report) {
    return accounts.containsKey(report.account());
  }

  private boolean isOfErasedUser(MeasuredInterval report) {
    AccountStanding account = accounts.get(report.account());
    Instant usedUntil = erased.get(report.account());
    return account == null
        ? usedUntil != null && report.startedAt().isBefore(usedUntil)
        : account.isOfFormerUser(report.startedAt());
  }

  private HeldReports.@Nullable HeldRow heldRow(MeasuredInterval report) {
    return heldRows.get(HeldReports.hex(report.original().digest()));
  }

  private MeasuredInterval asOfFirstArrival(MeasuredInterval report) {
    HeldReports.HeldRow first = heldRow(report);
    return first == null
        ? report
        : report.asOf(
            first.startedAt(),
            first.endedAt(),
            first.receivedAt(),
            MeasuredInterval.Clock.valueOf(first.clock()));
  }

  // The order matters. A billed report is never refused later. The lateness of a held report was
  // checked at its first arrival.
  private Decision decide(MeasuredInterval report, AccountBounds bounds) {
    BilledBefore before = billedBefore.get(report.key());
    if (before != null) {
      return decideRepeated(report, before);
    }
    HeldReports.HeldRow first = heldRow(report);
    if (first != null && first.state() == HeldReports.State.DISCARDED) {
      return refused(ReportRefusal.DISCARDED, "an operator has discarded this report");
    }
    if (isOfErasedUser(report)) {
      return refused(ReportRefusal.ACCOUNT_ERASED, "the user of this interval was erased");
    }
    if (devices.isChargedForGood(report)) {
      return refused(
          ReportRefusal.TOO_LATE, "the account was charged for it by its device's report");
    }
    if (first == null) {
      Optional<PostResult.Refused> untimely = untimely(report);
      if (untimely.isPresent()) {
        return new Decision.Answer(untimely.get());
      }
    }
    BilledInterval interval = bill(report);
    Optional<Obstacle> unproven = unproven(report);
    Optional<Obstacle> obstacle =
        unproven.isPresent() ? unproven : bounds.excess(report, interval.lines().gross());
    if (obstacle.isPresent()) {
      return hold(interval, obstacle.get(), first != null);
    }
    bounds.add(report, interval.lines().gross());
    recordHighest(report);
    billed.add(interval);
    return new Decision.Bill(interval);
  }

  private static Decision decideRepeated(MeasuredInterval report, BilledBefore before) {
    if (!Arrays.equals(before.digest(), report.original().digest())) {
      return refused(
          ReportRefusal.CONFLICT, report.key().text() + " was billed with other content");
    }
    if (before.state() == IntervalState.PROVISIONAL) {
      return report.evidence().isSufficient()
          ? new Decision.Sign(before)
          : new Decision.Answer(new PostResult.AlreadyPosted(true));
    }
    return new Decision.Answer(new PostResult.AlreadyPosted(false));
  }

  private Optional<PostResult.Refused> untimely(MeasuredInterval report) {
    IntervalKey key = report.key();
    long epoch = epochs.getOrDefault(IntervalStore.Session.of(key), 0L);
    if (key.epoch() < epoch) {
      return Optional.of(
          new PostResult.Refused(
              ReportRefusal.LOWER_EPOCH,
              "epoch " + key.epoch() + " is below " + epoch + ", the session's highest"));
    }
    if (Duration.between(report.endedAt(), report.receivedAt()).compareTo(rules.adjustmentTime())
        > 0) {
      return Optional.of(
          new PostResult.Refused(
              ReportRefusal.TOO_LATE,
              "ended " + report.endedAt() + ", more than " + rules.adjustmentTime() + " ago"));
    }
    long highest = sequences.getOrDefault(IntervalStore.Run.of(key), -1L);
    if (key.sequence() - highest > SequenceGaps.JUMP_MAX) {
      return Optional.of(
          new PostResult.Refused(
              ReportRefusal.SEQUENCE_JUMP,
              "sequence %d is more than %d ahead of %d, the session's highest"
                  .formatted(key.sequence(), SequenceGaps.JUMP_MAX, highest)));
    }
    return Optional.empty();
  }

  // Returns the first missing proof, regardless of the amount. An operator's release replaces a
  // missing token and permits a suspended account. It does not replace a token that cannot be
  // checked, or an account that does not exist.
  private Optional<Obstacle> unproven(MeasuredInterval report) {
    AccountStanding account = accounts.get(report.account());
    if (account == null) {
      return Optional.of(
          new Obstacle(HoldReason.UNKNOWN_ACCOUNT, "no account '" + report.account() + "'"));
    }
    if (!account.paysFor(report.startedAt()) && report.evidence().release() == null) {
      return Optional.of(
          new Obstacle(
              HoldReason.ACCOUNT_INACTIVE,
              "account '%s' is %s".formatted(report.account(), account.state())));
    }
    Evidence.Strength strength = report.evidence().strength();
    if (strength == Evidence.Strength.TOKEN_KEY_UNKNOWN) {
      return Optional.of(
          new Obstacle(
              HoldReason.TOKEN_KEY_UNKNOWN,
              "no bridge has named the token's key: add it to token.accepted-keys there"));
    }
    if (strength == Evidence.Strength.NO_TOKEN && report.evidence().release() == null) {
      return Optional.of(
          new Obstacle(
              HoldReason.NO_TOKEN, "the SNAPT sent no session token: is it of an old version?"));
    }
    return Optional.empty();
  }

  private Decision hold(BilledInterval interval, Obstacle obstacle, boolean isHeldAlready) {
    String snapt = interval.report().key().snapt();
    if (!isHeldAlready && heldBySnapt.getOrDefault(snapt, 0) >= rules.bounds().heldOfSnapt()) {
      return new Decision.Answer(
          new PostResult.Deferred(
              obstacle.why()
                  + ": the SNAPT has "
                  + rules.bounds().heldOfSnapt()
                  + " held reports, the limit"));
    }
    heldBySnapt.merge(snapt, isHeldAlready ? 0 : 1, Integer::sum);
    return new Decision.Hold(interval, obstacle.why(), obstacle.detail());
  }

  private void recordHighest(MeasuredInterval report) {
    IntervalStore.Session session = IntervalStore.Session.of(report.key());
    if (report.key().epoch() > epochs.getOrDefault(session, 0L)) {
      epochs.put(session, report.key().epoch());
      raisedSessions.add(session);
    }
    sequences.merge(IntervalStore.Run.of(report.key()), report.key().sequence(), Math::max);
  }

  private BilledInterval bill(MeasuredInterval report) {
    String owner = owners.at(report.key().snapt(), report.startedAt());
    return BilledInterval.of(
        report,
        terms.at(owner, report.startedAt()),
        owner,
        report.endedAt().plus(rules.graceTime()));
  }

  private void store() {
    if (billed.isEmpty()) {
      return;
    }
    store.raiseEpochs(raisedSessions, epochs);
    store.insert(billed);
    store.openDays(billed);
    RelayRewards.insert(batches, billed);
    ledger.open(
        billed.stream()
            .filter(interval -> !interval.lines().reward().isZero())
            .map(interval -> LedgerAccount.provider(interval.owner()))
            .distinct()
            .toList(),
        now);
    ledger.post(billed.stream().map(PostingRound::transaction).toList(), now);
    beyondQuota = coveredUse.cover(billed.stream().map(PostingRound::posted).toList());
  }

  /// Returns the charges of an interval, for the wallets that pay them.
  static Stream<PaidCharge> paid(BilledInterval interval) {
    String account = interval.report().account();
    return IntStream.range(0, interval.flows().size())
        .mapToObj(i -> {
          RatedFlow flow = interval.flows().get(i);
          return new PaidCharge(
              interval.chargeIds().get(i),
              account,
              interval.report().startedAt(),
              flow.lines().net());
        });
  }

  private static PostedReport posted(BilledInterval interval) {
    MeasuredInterval report = interval.report();
    return new PostedReport(
        interval.id(),
        report.account(),
        report.key().snapt(),
        report.key().session(),
        Duration.between(report.startedAt(), report.endedAt()).toMillis(),
        report.flows().stream()
            .map(MeasuredInterval.Flow::measure)
            .map(flow ->
                new PostedReport.Flow(
                    flow.application(), flow.serviceClass(), flow.preBytes(), flow.durationMs()))
            .toList());
  }

  /// Returns the transaction of an interval that is posted first.
  static LedgerTransaction transaction(BilledInterval interval) {
    LedgerTransaction.Billed billed =
        new LedgerTransaction.Billed(
            interval.id(),
            interval.report().key().text(),
            interval.report().account(),
            interval.owner(),
            interval.lines());
    return switch (interval.state()) {
      case PROVISIONAL -> LedgerTransaction.provisional(billed, interval.isLate());
      case ADJUSTED -> LedgerTransaction.adjustment(billed);
      case CORRECTED, FINAL, VOID, FINAL_PROVISIONAL -> LedgerTransaction.correction(billed);
    };
  }

  // Runs after the intervals have got their ids.
  private PostResult settle(MeasuredInterval report, Decision decision) {
    PostResult result =
        switch (decision) {
          case Decision.Bill(BilledInterval interval) -> {
            evidence.put(interval.id(), report.evidence());
            devices.replace(report, now);
            yield new PostResult.Posted(
                report.account(),
                interval.chargeIds(),
                interval.skewedFlows(),
                interval.state() != IntervalState.PROVISIONAL,
                beyondQuota.getOrDefault(interval.id(), Map.of()));
          }
          case Decision.Sign(BilledBefore interval) -> {
            store.sign(interval);
            evidence.put(interval.id(), report.evidence());
            yield new PostResult.Signed(report.account(), store.charges(interval.id()));
          }
          case Decision.Hold(BilledInterval interval, HoldReason why, String detail) -> {
            held.hold(interval, why, detail);
            yield new PostResult.Held(
                why, detail, report.evidence().strength() == Evidence.Strength.RECEIPT_OWED);
          }
          case Decision.Answer(PostResult answer) -> answer;
        };
    if (heldRow(report) != null
        && (result instanceof PostResult.Posted
            || result instanceof PostResult.Signed
            || result instanceof PostResult.AlreadyPosted)) {
      held.posted(report, now);
    }
    boolean isStored =
        !(result instanceof PostResult.Refused || result instanceof PostResult.Deferred);
    if (isStored && report.evidence().refusal() != null) {
      store.refusal(report, now);
      Discrepancies.compare(jdbc, report, !(result instanceof PostResult.Held), now);
    }
    return result;
  }

  private static Decision refused(ReportRefusal why, String detail) {
    return new Decision.Answer(new PostResult.Refused(why, detail));
  }
}
