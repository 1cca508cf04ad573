package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.settlement.Evidence;
import io.viaduct.billing.settlement.HeldReports;
import io.viaduct.billing.settlement.HoldReason;
import io.viaduct.billing.settlement.IntervalState;
import io.viaduct.billing.settlement.PostResult;
import io.viaduct.billing.settlement.UnsignedIntervals;
import io.viaduct.billing.settlement.UnsignedIntervals.Outcome;
import io.viaduct.billing.settlement.UnsignedIntervals.Verdict;
import io.viaduct.usage.v1.ReceiptRefusal;
import io.viaduct.usage.v1.ReceiptRefusalReason;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Tests the limits for reports without receipt, and their way to settlement.
class ReceiptRulesTest {
  private static final long WORKED = -34_348_658;
  private static final Evidence.Decision OLGA = new Evidence.Decision("olga", "the log agrees");

  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private final String alice = "alice-" + tag;
  private final String snapt = "snapt-" + tag;
  private final String session = UUID.randomUUID().toString();
  private final MediationRig rig = new MediationRig("owner-" + tag);

  @BeforeEach
  void open() {
    rig.openAccount(alice);
  }

  @AfterEach
  void everyInvariantHolds() {
    assertThat(rig.broken()).isEmpty();
  }

  private UsageReport worked(long sequence) {
    return Reports.report(
            snapt, session, 1, sequence, alice, rig.clock.instant(), Reports.workedExample())
        .build();
  }

  private void assertVerdict(SignedUsageReport envelope, ReportVerdict verdict) {
    ReportAck ack = rig.submit(envelope);
    assertThat(ack.getVerdict()).as(ack.getReason()).isEqualTo(verdict);
  }

  private List<String> states() {
    return rig.jdbc.queryForList(
        "select state from charging_interval where snapt_id = ? order by id", String.class, snapt);
  }

  private List<UnsignedIntervals.Unsigned> due() {
    return rig.unsigned.page(
        new UnsignedIntervals.Filter(snapt, "", ""), rig.clock.instant(), Long.MAX_VALUE, 100);
  }

  private List<UnsignedIntervals.Unsigned> ofRefusal(String refusal) {
    return rig.unsigned.page(
        new UnsignedIntervals.Filter(snapt, "", refusal), null, Long.MAX_VALUE, 100);
  }

  private List<HeldReports.HeldReport> held() {
    return rig.held.page(new HeldReports.Filter(snapt, "", "", "HELD"), Long.MAX_VALUE, 100);
  }

  private void settle() {
    rig.clock.advance(MediationRig.GRACE);
    rig.settlement.settleDue(rig.clock.instant());
  }

  @Test
  void anUnsignedReportIsChargedProvisionallyAndNeverSettledUntilItsReceiptComes() {
    UsageReport report = worked(0);
    assertVerdict(Reports.unsigned(report), ReportVerdict.PROVISIONAL);
    assertVerdict(Reports.unsigned(report), ReportVerdict.PROVISIONAL);
    assertThat(rig.balance(alice)).isEqualTo(WORKED);
    settle();
    assertThat(states()).containsExactly("PROVISIONAL");
    assertVerdict(Reports.signed(report), ReportVerdict.POSTED);
    assertVerdict(Reports.signed(report), ReportVerdict.ALREADY_POSTED);
    assertVerdict(Reports.unsigned(report), ReportVerdict.ALREADY_POSTED);
    assertThat(states()).containsExactly("CORRECTED");
    settle();
    assertThat(states()).containsExactly("FINAL");
    assertThat(rig.balance(alice)).isEqualTo(WORKED);
    assertThat(rig.ledger.balance(LedgerAccount.provider("owner-" + tag)).value())
        .isEqualTo(3_554_116);
  }

  @Test
  void aTokenThatWasRenewedInTheMiddleOfTheIntervalIsAccepted() {
    UsageReport report = worked(0);
    long middle = (report.getStartMs() + report.getEndMs()) / 2;
    var renewed =
        Reports.PROVEN.token(report, t -> t.setNotBeforeMs(middle).setExpiresMs(middle + 600_000));
    assertVerdict(
        Reports.signed(report).toBuilder().setToken(renewed).build(), ReportVerdict.POSTED);
    assertThat(rig.balance(alice)).isEqualTo(WORKED);
  }

  @Test
  void aReportAndItsReceiptInOneRequestAreBilledOnceInEitherOrder() {
    UsageReport first = worked(0);
    UsageReport second = worked(1);
    assertThat(
            rig.mediation
                .submit(
                    Reports.requestOf(
                        rig.clock.instant(),
                        List.of(
                            Reports.unsigned(first),
                            Reports.signed(first),
                            Reports.signed(second),
                            Reports.unsigned(second),
                            Reports.signed(second))))
                .getAcksList())
        .extracting(ReportAck::getVerdict)
        .containsExactly(
            ReportVerdict.PROVISIONAL,
            ReportVerdict.POSTED,
            ReportVerdict.POSTED,
            ReportVerdict.ALREADY_POSTED,
            ReportVerdict.ALREADY_POSTED);
    assertThat(rig.balance(alice)).isEqualTo(2 * WORKED);
  }

  @Test
  void unsignedReportsAboveTheBoundAreHeldAndTheReceiptPostsThem() {
    assertVerdict(Reports.unsigned(worked(0)), ReportVerdict.PROVISIONAL);
    assertVerdict(Reports.unsigned(worked(1)), ReportVerdict.PROVISIONAL);
    // 71 of 75 denarii are outstanding.
    UsageReport third = worked(2);
    assertVerdict(Reports.unsigned(third), ReportVerdict.PROVISIONAL);
    assertVerdict(Reports.unsigned(third), ReportVerdict.PROVISIONAL);
    assertThat(rig.balance(alice)).isEqualTo(2 * WORKED);
    assertThat(held())
        .singleElement()
        .satisfies(h -> {
          assertThat(h.why()).isEqualTo(HoldReason.OVER_UNSIGNED_BOUND);
          assertThat(h.detail()).contains("would be 106.623474 den, the bound is 75 den");
          assertThat(h.charge().value()).isEqualTo(35_541_158);
          assertThat(h.isReceiptOwed()).isTrue();
        });
    // Hours have passed and the SNAPT has restarted, but the report's first arrival decides.
    rig.clock.advance(Duration.ofHours(30));
    rig.submit(
        Reports.signed(
            Reports.report(snapt, session, 2, 0, alice, rig.clock.instant(), List.of()).build()));
    assertVerdict(Reports.signed(third), ReportVerdict.POSTED);
    assertThat(held()).isEmpty();
    assertThat(rig.balance(alice)).isEqualTo(3 * WORKED);
    assertThat(states()).containsExactly("PROVISIONAL", "PROVISIONAL", "CORRECTED", "CORRECTED");
  }

  @Test
  void anInvalidReceiptIsRefusedAndTheReportIsUnchanged() {
    UsageReport report = worked(0);
    rig.submit(Reports.unsigned(report));
    SignedUsageReport forged =
        Reports.signed(report).toBuilder()
            .setReceipt(Reports.PROVEN.otherDevice().receipt(report))
            .build();
    ReportAck ack = rig.submit(forged);
    assertThat(ack.getVerdict()).isEqualTo(ReportVerdict.REJECTED);
    assertThat(ack.getReason()).startsWith("RECEIPT_FORGED: ");
    assertThat(states()).containsExactly("PROVISIONAL");
    assertVerdict(Reports.signed(report), ReportVerdict.POSTED);
  }

  @Test
  void aLateUnsignedReportBecomesAnAdjustmentWhenItIsSigned() {
    UsageReport late = worked(0);
    rig.clock.advance(MediationRig.GRACE);
    assertVerdict(Reports.unsigned(late), ReportVerdict.PROVISIONAL);
    assertThat(rig.broken()).isEmpty();
    assertVerdict(Reports.signed(late), ReportVerdict.POSTED);
    assertThat(states()).containsExactly("ADJUSTED");
    assertThat(rig.balance(alice)).isEqualTo(WORKED);
  }

  @Test
  void anOperatorAcceptsADueUnsignedIntervalAndItIsSettled() {
    UsageReport report = worked(0);
    rig.submit(
        Reports.unsigned(report).toBuilder()
            .setReceiptRefusal(
                ReceiptRefusal.newBuilder()
                    .setSessionId(session)
                    .setEpoch(1)
                    .setReason(ReceiptRefusalReason.COUNTS_DIFFER)
                    .setUpBytes(12)
                    .setDownBytes(34))
            .build());
    long id =
        rig.jdbc.queryForObject(
            "select id from charging_interval where snapt_id = ?", Long.class, snapt);
    assertThat(due()).isEmpty();
    assertThat(rig.unsigned.decide(id, Verdict.ACCEPTED, OLGA, rig.clock.instant()))
        .containsInstanceOf(Outcome.NotDue.class);
    rig.clock.advance(MediationRig.DECIDE_AFTER);
    assertThat(due())
        .singleElement()
        .satisfies(u -> {
          assertThat(u.refusal()).isEqualTo("COUNTS_DIFFER");
          assertThat(u.deviceDownBytes()).isEqualTo(34);
          assertThat(u.snaptBytes()).isEqualTo(report.getPreBytes());
        });
    assertThat(ofRefusal("COUNTS_DIFFER")).hasSize(1);
    assertThat(ofRefusal("UNKNOWN_SESSION")).isEmpty();
    assertThat(rig.unsigned.decide(id, Verdict.ACCEPTED, OLGA, rig.clock.instant()))
        .containsInstanceOf(Outcome.Done.class);
    assertThat(rig.unsigned.decide(id, Verdict.VOIDED, OLGA, rig.clock.instant()))
        .contains(new Outcome.NotUnsigned(IntervalState.CORRECTED));
    settle();
    assertThat(states()).containsExactly("FINAL");
    assertThat(rig.balance(alice)).isEqualTo(WORKED);
    assertVerdict(Reports.signed(report), ReportVerdict.ALREADY_POSTED);
  }

  @Test
  void aVoidIntervalIsReversedAndStaysVoid() {
    UsageReport report = worked(0);
    rig.submit(Reports.unsigned(report));
    rig.clock.advance(MediationRig.DECIDE_AFTER);
    long id = due().getFirst().id();
    rig.unsigned.decide(id, Verdict.VOIDED, OLGA, rig.clock.instant());
    assertThat(rig.balance(alice)).isZero();
    assertThat(states()).containsExactly("VOID");
    assertThat(
            rig.jdbc.queryForList(
                "select kind from ledger_transaction where interval_id = ? order by id",
                String.class,
                id))
        .containsExactly("PROVISIONAL", "REVERSAL");
    assertThat(
            rig.jdbc.queryForMap(
                "select decided_by, reason from interval_decision where interval_id = ?", id))
        .containsEntry("decided_by", "olga")
        .containsEntry("reason", "the log agrees");
    assertVerdict(Reports.signed(report), ReportVerdict.ALREADY_POSTED);
    settle();
    assertThat(rig.balance(alice)).isZero();
    assertThat(states()).containsExactly("VOID");
  }

  @Test
  void aChargeAboveTheBoundOfAMinuteIsHeldAndTheReleasePostsIt() {
    // Each costs 35.54 denarii: 28 of them cost 995, the 29th exceeds 1000, in any session.
    for (int sequence = 0; sequence < 28; sequence++) {
      assertVerdict(Reports.signed(worked(sequence)), ReportVerdict.POSTED);
    }
    UsageReport above = worked(28);
    assertVerdict(Reports.signed(above), ReportVerdict.HELD);
    assertVerdict(Reports.signed(above), ReportVerdict.HELD);
    assertThat(held())
        .extracting(HeldReports.HeldReport::why)
        .containsExactly(HoldReason.OVER_CHARGE_BOUND);
    assertThat(rig.balance(alice)).isEqualTo(28 * WORKED);
    long id = held().getFirst().id();
    rig.clock.advance(Duration.ofDays(3));
    assertThat(rig.release.release(id, OLGA, rig.clock.instant()))
        .containsInstanceOf(PostResult.Posted.class);
    assertThat(rig.balance(alice)).isEqualTo(29 * WORKED);
    assertThat(rig.release.release(id, OLGA, rig.clock.instant())).isEmpty();
    assertThat(rig.held.find(id).orElseThrow())
        .satisfies(h -> {
          assertThat(h.state()).isEqualTo(HeldReports.State.POSTED);
          assertThat(h.decidedBy()).isEqualTo("olga");
          assertThat(h.decision()).isEqualTo("the log agrees");
        });
    assertVerdict(Reports.signed(above), ReportVerdict.ALREADY_POSTED);
  }

  @Test
  void aReportOfAMissingAccountIsHeldUntilTheAccountExists() {
    String bob = "bob-" + tag;
    UsageReport report = worked(0).toBuilder().setAccount(bob).build();
    assertVerdict(Reports.signed(report), ReportVerdict.HELD);
    long id = held().getFirst().id();
    assertThat(rig.release.release(id, OLGA, rig.clock.instant()))
        .containsInstanceOf(PostResult.Held.class);
    rig.openAccount(bob);
    assertThat(rig.release.release(id, OLGA, rig.clock.instant()))
        .containsInstanceOf(PostResult.Posted.class);
    assertThat(rig.balance(bob)).isEqualTo(WORKED);
  }

  @Test
  void aReportOfASuspendedAccountIsHeldAndTheOperatorMayChargeIt() {
    rig.jdbc.update("update account set state = 'suspended' where id = ?", alice);
    assertVerdict(Reports.signed(worked(0)), ReportVerdict.HELD);
    assertThat(held())
        .extracting(HeldReports.HeldReport::why)
        .containsExactly(HoldReason.ACCOUNT_INACTIVE);
    rig.release.release(held().getFirst().id(), OLGA, rig.clock.instant());
    assertThat(rig.balance(alice)).isEqualTo(WORKED);
  }

  @Test
  void aReportOfAnIntervalThatBeganBeforeTheSuspensionIsChargedAndTheNextOneIsHeld() {
    UsageReport last = worked(0);
    rig.jdbc.update(
        "update account set state = 'suspended', inactive_since = ? where id = ?",
        new Timestamp(last.getStartMs() + 1),
        alice);
    assertVerdict(Reports.signed(last), ReportVerdict.POSTED);
    rig.clock.advance(Duration.ofMinutes(1));
    assertVerdict(Reports.signed(worked(1)), ReportVerdict.HELD);
    assertThat(rig.balance(alice)).isEqualTo(WORKED);
  }

  @Test
  void aReportWithoutTokenIsHeldAndTheOperatorMayChargeIt() {
    SignedUsageReport old = Reports.signed(worked(0)).toBuilder().clearToken().build();
    assertVerdict(old, ReportVerdict.HELD);
    assertVerdict(old.toBuilder().clearReceipt().build(), ReportVerdict.HELD);
    assertThat(held()).extracting(HeldReports.HeldReport::why).containsExactly(HoldReason.NO_TOKEN);
    assertThat(rig.balance(alice)).isZero();
    assertThat(rig.release.release(held().getFirst().id(), OLGA, rig.clock.instant()))
        .containsInstanceOf(PostResult.Posted.class);
    settle();
    assertThat(states()).containsExactly("FINAL");
    assertThat(rig.balance(alice)).isEqualTo(WORKED);
  }

  @Test
  void aDiscardedReportIsNeverPosted() {
    UsageReport report = worked(0).toBuilder().setAccount("carol-" + tag).build();
    assertVerdict(Reports.signed(report), ReportVerdict.HELD);
    long id = held().getFirst().id();
    assertThat(rig.held.discard(id, OLGA, rig.clock.instant())).isTrue();
    assertThat(rig.held.discard(id, OLGA, rig.clock.instant())).isFalse();
    rig.openAccount("carol-" + tag);
    assertVerdict(Reports.signed(report), ReportVerdict.REJECTED);
    assertThat(rig.balance("carol-" + tag)).isZero();
  }

  @Test
  void aReportWithAnUnknownTokenKeyIsHeldUntilABridgeAnnouncesTheKey() {
    io.viaduct.usage.ProvenReport other =
        new io.viaduct.usage.ProvenReport(
            io.viaduct.usage.ProvenReport.keyPair(),
            "key-" + tag,
            io.viaduct.usage.ProvenReport.keyPair());
    UsageReport report = worked(0);
    assertVerdict(Reports.bySnapt(other.complete(report)), ReportVerdict.HELD);
    long id = held().getFirst().id();
    assertThat(rig.release.release(id, OLGA, rig.clock.instant()))
        .containsInstanceOf(PostResult.Held.class);
    rig.mediation.submit(
        Reports.requestOf(rig.clock.instant(), List.of()).toBuilder()
            .addTokenKeys(other.tokenKey())
            .build());
    assertThat(rig.release.release(id, OLGA, rig.clock.instant()))
        .containsInstanceOf(PostResult.Posted.class);
    // A billing that starts later reads the key from the database.
    assertThat(
            new MediationRig("owner-" + tag)
                .submit(Reports.bySnapt(other.complete(worked(1))))
                .getVerdict())
        .isEqualTo(ReportVerdict.POSTED);
  }

  @Test
  void aSnaptWithTooManyHeldReportsKeepsItsNextOnes() {
    MediationRig narrow =
        new MediationRig(
            "owner-" + tag,
            new io.viaduct.billing.settlement.SettlementRules.Bounds(
                MediationRig.BOUNDS.charge(), MediationRig.BOUNDS.unsigned(), 1));
    UsageReport first = worked(0).toBuilder().setAccount("nobody-" + tag).build();
    assertThat(narrow.verdict(first)).isEqualTo(ReportVerdict.HELD);
    assertThat(narrow.verdict(first)).isEqualTo(ReportVerdict.HELD);
    assertThat(narrow.verdict(worked(1).toBuilder().setAccount("nobody-" + tag).build()))
        .isEqualTo(ReportVerdict.DEFERRED);
  }
}
