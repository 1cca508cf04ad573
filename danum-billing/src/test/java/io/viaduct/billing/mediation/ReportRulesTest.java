package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.settlement.ReportRefusal;
import io.viaduct.billing.settlement.SequenceGaps;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.usage.v1.DelaySource;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SubmitRequest;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class ReportRulesTest {
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

  private UsageReport.Builder worked(long epoch, long sequence) {
    return Reports.report(
        snapt, session, epoch, sequence, alice, rig.clock.instant(), Reports.workedExample());
  }

  @Test
  void theWorkedExampleIsPostedSettledAndSharedAsPrinted() {
    assertThat(rig.verdict(worked(1, 0).build())).isEqualTo(ReportVerdict.POSTED);
    assertThat(rig.balance(alice)).isEqualTo(-34_348_658);
    rig.clock.advance(MediationRig.GRACE);
    rig.settlement.settleDue(rig.clock.instant());
    assertThat(rig.balance(alice)).isEqualTo(-34_348_658);
    assertThat(rig.ledger.balance(LedgerAccount.provider("owner-" + tag)).value())
        .isEqualTo(3_554_116);
  }

  @Test
  void theSameReportAgainPostsNothing() {
    UsageReport report = worked(1, 0).build();
    rig.submit(report);
    assertThat(rig.verdict(report)).isEqualTo(ReportVerdict.ALREADY_POSTED);
    assertThat(rig.submit(report, report))
        .extracting(ReportAck::getVerdict)
        .containsOnly(ReportVerdict.ALREADY_POSTED);
    assertThat(rig.balance(alice)).isEqualTo(-34_348_658);
  }

  @Test
  void otherContentUnderTheSameKeyIsAConflictThatTheOperatorSees() {
    rig.submit(worked(1, 0).build());
    assertThat(rig.verdict(worked(1, 0).setLast(true).build())).isEqualTo(ReportVerdict.CONFLICT);
    assertThat(rig.balance(alice)).isEqualTo(-34_348_658);
    assertThat(rig.refused.page(new RefusedReports.Filter(snapt, "", ""), Long.MAX_VALUE, 500))
        .extracting(RefusedReports.Refused::why)
        .containsExactly(ReportRefusal.CONFLICT.name());
  }

  @Test
  void aConflictInsideOneRequestIsFoundToo() {
    assertThat(rig.submit(worked(1, 0).build(), worked(1, 0).setLast(true).build()))
        .extracting(ReportAck::getVerdict)
        .containsExactly(ReportVerdict.POSTED, ReportVerdict.CONFLICT);
  }

  @Test
  void aLowerEpochIsRefusedButPostedReportsStay() {
    UsageReport old = worked(1, 0).build();
    rig.submit(old);
    rig.submit(worked(2, 0).build());
    assertThat(rig.verdict(worked(1, 1).build())).isEqualTo(ReportVerdict.REJECTED);
    assertThat(rig.refusals("LOWER_EPOCH")).isEqualTo(1);
    assertThat(rig.verdict(old)).isEqualTo(ReportVerdict.ALREADY_POSTED);
  }

  @Test
  void aGapIsVisibleUntilItIsFilledOrTheGraceTimeEnds() {
    rig.submit(worked(1, 0).build());
    UsageReport late = worked(1, 1).build();
    rig.submit(worked(1, 3).build());
    assertThat(gaps()).extracting(SequenceGaps.Gap::from).containsExactly(1L);
    assertThat(gaps()).extracting(SequenceGaps.Gap::to).containsExactly(2L);
    rig.submit(late);
    assertThat(gaps()).extracting(SequenceGaps.Gap::from).containsExactly(2L);
    rig.clock.advance(MediationRig.GRACE);
    assertThat(gaps()).isEmpty();
  }

  private List<SequenceGaps.Gap> gaps() {
    return rig.gaps.visible(rig.clock.instant(), Instant.MAX, 0, 500).stream()
        .map(SequenceGaps.Seen::gap)
        .filter(g -> g.snapt().equals(snapt))
        .toList();
  }

  @Test
  void anIntervalWithoutBytesIsRecordedAndCostsNothing() {
    UsageReport nothing =
        worked(1, 0)
            .clearFlows()
            .addFlows(Reports.flow(1, "ssh", 0, 0, 10))
            .setPreBytes(0)
            .setPostBytes(0)
            .build();
    UsageReport noFlows = worked(1, 1).clearFlows().setPreBytes(0).setPostBytes(0).build();
    assertThat(rig.submit(nothing, noFlows))
        .extracting(ReportAck::getVerdict)
        .containsOnly(ReportVerdict.POSTED);
    assertThat(gaps()).isEmpty();
    assertThat(rig.balance(alice)).isZero();
    rig.clock.advance(MediationRig.GRACE);
    rig.settlement.settleDue(rig.clock.instant());
    assertThat(states()).containsOnly("FINAL");
  }

  private List<String> states() {
    return rig.jdbc.queryForList(
        "select state from charging_interval where snapt_id = ?", String.class, snapt);
  }

  @Test
  void aReportAfterTheGraceTimeIsAnAdjustmentAndOneAfterADayIsRefused() {
    UsageReport late = worked(1, 0).build();
    rig.clock.advance(MediationRig.GRACE);
    assertThat(rig.verdict(late)).isEqualTo(ReportVerdict.POSTED);
    assertThat(states()).containsExactly("ADJUSTED");
    assertThat(rig.balance(alice)).isEqualTo(-34_348_658);
    UsageReport tooLate = worked(1, 1).build();
    rig.clock.advance(MediationRig.ADJUSTMENT.plusMillis(1));
    assertThat(rig.verdict(tooLate)).isEqualTo(ReportVerdict.REJECTED);
    assertThat(rig.refusals("TOO_LATE")).isEqualTo(1);
    assertThat(rig.verdict(late)).isEqualTo(ReportVerdict.ALREADY_POSTED);
  }

  @Test
  void aReportWithAClockAheadIsFlaggedAndGetsTheBridgesTime() {
    UsageReport ahead =
        Reports.report(
                snapt,
                session,
                1,
                0,
                alice,
                rig.clock.instant().plusSeconds(3600),
                Reports.workedExample())
            .build();
    assertThat(rig.verdict(ahead)).isEqualTo(ReportVerdict.POSTED);
    Map<String, Object> row =
        rig.jdbc.queryForMap(
            "select clock, ended_at from charging_interval where snapt_id = ?", snapt);
    assertThat(row.get("clock")).isEqualTo("AHEAD");
    assertThat(((java.sql.Timestamp) row.get("ended_at")).toInstant())
        .isEqualTo(rig.clock.instant());
  }

  @Test
  void anImpossibleDelayIsPricedAtTheReferenceAndCounted() {
    UsageReport report =
        worked(1, 0)
            .clearFlows()
            .addFlows(Reports.flow(1, "ssh", 1000, 900, -80))
            .addFlows(
                Reports.flow(2, "ssh", 1000, 900, 0).toBuilder()
                    .setDelaySource(DelaySource.MISSING))
            .setPreBytes(2000)
            .setPostBytes(1800)
            .build();
    assertThat(rig.verdict(report)).isEqualTo(ReportVerdict.POSTED);
    assertThat(
            rig.jdbc.queryForList(
                "select delay_source from charge where account = ?", String.class, alice))
        .containsExactly("REFERENCE", "REFERENCE");
    assertThat(rig.meters.get("viaduct_flows_skewed").counter().count()).isEqualTo(1);
  }

  @Test
  void theBoundOnTheErrorOfTheDelayIsStoredAndMayBeMissing() {
    UsageReport report =
        worked(1, 0)
            .clearFlows()
            .addFlows(Reports.flow(1, "ssh", 1000, 900, 30).toBuilder().setDelayErrorMs(7.5))
            .addFlows(Reports.flow(2, "ssh", 1000, 900, 30).toBuilder().clearDelayErrorMs())
            .setPreBytes(2000)
            .setPostBytes(1800)
            .build();
    assertThat(rig.verdict(report)).isEqualTo(ReportVerdict.POSTED);
    assertThat(
            rig.jdbc.queryForList(
                "select delay_error_ms from charge where account = ? order by flow",
                Double.class,
                alice))
        .containsExactly(7.5, null);
  }

  @TestFactory
  List<DynamicTest> aReportThatBreaksARuleIsRejectedWithItsReasonAndStoresNothing() {
    List<DynamicTest> tests = new ArrayList<>();
    Map<String, Map.Entry<ReportRefusal, Consumer<UsageReport.Builder>>> cases =
        new java.util.LinkedHashMap<>();
    cases.put("no snapt", Map.entry(ReportRefusal.BAD_IDENTITY, r -> r.setSnaptId("")));
    cases.put(
        "long snapt", Map.entry(ReportRefusal.BAD_IDENTITY, r -> r.setSnaptId("s".repeat(65))));
    cases.put("NUL in session", Map.entry(ReportRefusal.BAD_IDENTITY, r -> r.setSessionId("a\0b")));
    cases.put("no token", Map.entry(ReportRefusal.BAD_IDENTITY, r -> r.setTokenId("")));
    cases.put(
        "long token", Map.entry(ReportRefusal.BAD_IDENTITY, r -> r.setTokenId("t".repeat(257))));
    cases.put("no account", Map.entry(ReportRefusal.BAD_IDENTITY, r -> r.setAccount("")));
    cases.put("long icid", Map.entry(ReportRefusal.BAD_IDENTITY, r -> r.setIcid("i".repeat(257))));
    cases.put("negative epoch", Map.entry(ReportRefusal.BAD_NUMBER, r -> r.setEpoch(-1)));
    cases.put(
        "huge sequence", Map.entry(ReportRefusal.SEQUENCE_JUMP, r -> r.setSequence(1L << 50)));
    cases.put(
        "jump of the sequence",
        Map.entry(ReportRefusal.SEQUENCE_JUMP, r -> r.setSequence(1_000_000)));
    cases.put(
        "no length", Map.entry(ReportRefusal.EMPTY_INTERVAL, r -> r.setStartMs(r.getEndMs())));
    cases.put(
        "flow over the interval",
        Map.entry(ReportRefusal.FLOW_OVER_INTERVAL, flow(f -> f.setDurationMs(60_003))));
    cases.put(
        "negative overhead", Map.entry(ReportRefusal.BAD_NUMBER, r -> r.setOverheadBytes(-1)));
    cases.put(
        "too long",
        Map.entry(ReportRefusal.BAD_DURATION, r -> r.setStartMs(r.getEndMs() - 600_001)));
    cases.put(
        "ends before it starts",
        Map.entry(ReportRefusal.BAD_DURATION, r -> r.setStartMs(r.getEndMs() + 1)));
    cases.put("no time", Map.entry(ReportRefusal.BAD_DURATION, r -> r.setStartMs(0)));
    cases.put(
        "pre does not add up",
        Map.entry(ReportRefusal.SUM_MISMATCH, r -> r.setPreBytes(r.getPreBytes() + 1)));
    cases.put(
        "post does not add up",
        Map.entry(ReportRefusal.SUM_MISMATCH, r -> r.setPostBytes(r.getPostBytes() - 1)));
    cases.put("same flow twice", Map.entry(ReportRefusal.DUPLICATE_FLOW, flow(f -> f.setFlow(2))));
    cases.put("NaN", Map.entry(ReportRefusal.NOT_FINITE, flow(f -> f.setDelayMs(Double.NaN))));
    cases.put(
        "negative error", Map.entry(ReportRefusal.NOT_FINITE, flow(f -> f.setDelayErrorMs(-1))));
    cases.put(
        "infinite",
        Map.entry(ReportRefusal.NOT_FINITE, flow(f -> f.setJitterMs(Double.NEGATIVE_INFINITY))));
    cases.put("busy NaN", Map.entry(ReportRefusal.NOT_FINITE, flow(f -> f.setBusy(Double.NaN))));
    cases.put("negative busy", Map.entry(ReportRefusal.BAD_NUMBER, flow(f -> f.setBusy(-1e-9))));
    cases.put("busy above 1", Map.entry(ReportRefusal.BAD_NUMBER, flow(f -> f.setBusy(1.0000001))));
    cases.put(
        "spare infinite",
        Map.entry(
            ReportRefusal.NOT_FINITE,
            flow(f -> f.setSpareKbitPerSecond(Double.POSITIVE_INFINITY))));
    cases.put(
        "negative spare",
        Map.entry(ReportRefusal.BAD_NUMBER, flow(f -> f.setSpareKbitPerSecond(-1))));
    cases.put(
        "spare above 10 Tbit/s",
        Map.entry(ReportRefusal.BAD_NUMBER, flow(f -> f.setSpareKbitPerSecond(1.0001e10))));
    cases.put(
        "flow of no time", Map.entry(ReportRefusal.BAD_DURATION, flow(f -> f.setDurationMs(0))));
    cases.put(
        "flow too long",
        Map.entry(ReportRefusal.BAD_DURATION, flow(f -> f.setDurationMs(600_001))));
    cases.put(
        "no class", Map.entry(ReportRefusal.UNKNOWN_CLASS, flow(f -> f.setServiceClassValue(0))));
    cases.put(
        "unknown class",
        Map.entry(ReportRefusal.UNKNOWN_CLASS, flow(f -> f.setServiceClassValue(9))));
    cases.put(
        "bad application",
        Map.entry(ReportRefusal.BAD_IDENTITY, flow(f -> f.setApplication("<script>"))));
    for (String link :
        List.of("a link of 16 b.", "rmnet_data0.1.23", "<b>", "-eth0", "eth0\n", "wlän0")) {
      cases.put("link " + link, Map.entry(ReportRefusal.BAD_IDENTITY, flow(f -> f.setLink(link))));
    }
    cases.put(
        "bad address",
        Map.entry(ReportRefusal.BAD_IDENTITY, flow(f -> f.setRemoteAddress("example.org"))));
    cases.put("bad port", Map.entry(ReportRefusal.BAD_NUMBER, flow(f -> f.setRemotePort(65536))));
    cases.put("bad protocol", Map.entry(ReportRefusal.BAD_NUMBER, flow(f -> f.setProtocol(-1))));
    cases.put(
        "negative bytes",
        Map.entry(
            ReportRefusal.BAD_NUMBER, flow(f -> f.setUp(f.getUp().toBuilder().setPreBytes(-7)))));
    cases.forEach((name, rule) ->
        tests.add(
            DynamicTest.dynamicTest(
                name,
                () -> {
                  UsageReport.Builder broken = worked(7, tests.size());
                  rule.getValue().accept(broken);
                  refusedWithoutTrace(Reports.signed(broken.build()), rule.getKey());
                })));
    tests.add(
        DynamicTest.dynamicTest(
            "not a report",
            () ->
                refusedWithoutTrace(
                    SignedUsageReport.newBuilder()
                        .setReport(ByteString.copyFromUtf8("\u0001\u0002garbage"))
                        .build(),
                    ReportRefusal.MALFORMED)));
    tests.add(
        DynamicTest.dynamicTest(
            "too large",
            () ->
                refusedWithoutTrace(
                    SignedUsageReport.newBuilder()
                        .setReport(
                            ByteString.copyFrom(new byte[ReportValidation.REPORT_BYTES_MAX + 1]))
                        .build(),
                    ReportRefusal.MALFORMED)));
    return tests;
  }

  private static Consumer<UsageReport.Builder> flow(Consumer<FlowUsage.Builder> change) {
    return report -> change.accept(report.getFlowsBuilder(0));
  }

  private void refusedWithoutTrace(SignedUsageReport report, ReportRefusal why) {
    double before = rig.refusals(why.name());
    long intervals = count("charging_interval");
    long kept = count("refused_report");
    ReportAck ack =
        rig.mediation
            .submit(
                SubmitRequest.newBuilder()
                    .setReceivedMs(rig.clock.instant().toEpochMilli())
                    .addReports(report)
                    .addTokenKeys(Reports.PROVEN.tokenKey())
                    .build())
            .getAcks(0);
    assertThat(ack.getVerdict()).isEqualTo(ReportVerdict.REJECTED);
    assertThat(ack.getReason()).startsWith(why + ": ");
    assertThat(rig.refusals(why.name())).isEqualTo(before + 1);
    assertThat(count("charging_interval")).isEqualTo(intervals);
    assertThat(count("refused_report")).isEqualTo(kept + 1);
  }

  private long count(String table) {
    return rig.jdbc.queryForObject("select count(*) from " + table, Long.class);
  }

  @Test
  void theSameReportsFromManySendersAtOnceAreBilledOnce() throws Exception {
    List<UsageReport> reports = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      reports.add(worked(1, i).build());
    }
    List<Callable<List<ReportAck>>> senders = new ArrayList<>();
    for (int s = 0; s < 8; s++) {
      List<UsageReport> shuffled = new ArrayList<>(reports);
      java.util.Collections.shuffle(shuffled, new java.util.Random(s));
      senders.add(() -> rig.submit(shuffled.toArray(UsageReport[]::new)));
    }
    List<ReportVerdict> verdicts = new ArrayList<>();
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<List<ReportAck>> done : executor.invokeAll(senders)) {
        done.get().forEach(ack -> verdicts.add(ack.getVerdict()));
      }
    }
    assertThat(verdicts)
        .hasSize(160)
        .containsOnly(ReportVerdict.POSTED, ReportVerdict.ALREADY_POSTED);
    assertThat(verdicts).filteredOn(v -> v == ReportVerdict.POSTED).hasSize(20);
    assertThat(rig.balance(alice)).isEqualTo(-34_348_658L * 20);
  }

  @Test
  void aTariffIsUsedFromItsEffectiveTimeOnAndNotBefore() {
    rig.submit(worked(1, 0).build());
    Tariff current = rig.tariffs.versions().getFirst().tariff();
    Tariff free =
        TariffDocument.parse(
            TariffDocument.print(current)
                .replace("\"base\":\"SAVED\"", "\"base\":\"SERVED\"")
                .replace("\"denarii-per-megabyte\":0.5", "\"denarii-per-megabyte\":0.2")
                .replace("\"cap\":0.3", "\"cap\":0.1"));
    // The time is far ahead, so that no other test of this database uses this tariff.
    rig.clock.advance(Duration.ofDays(365L * 50));
    rig.tariffs.add(free, rig.clock.instant(), "operator", rig.clock.instant());
    rig.submit(worked(2, 0).build());
    rig.clock.advance(Duration.ofSeconds(60));
    rig.submit(worked(2, 1).build());
    assertThat(
            rig.jdbc.queryForList(
                "select r.discount_microdenarii from snapt_report r join charging_interval i"
                    + " on i.id = r.interval_id where i.snapt_id = ? order by i.started_at, i.sequence",
                Long.class,
                snapt))
        .containsExactly(1_192_500L, 1_192_500L, 795_000L);
  }
}
