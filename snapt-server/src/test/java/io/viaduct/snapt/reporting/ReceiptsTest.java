package io.viaduct.snapt.reporting;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.snapt.metering.IntervalUsage;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ReceiptRefusal;
import io.viaduct.usage.v1.ReceiptRefusalReason;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedReceipt;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests reports and their receipts, with a clock of the test. A crash is simulated by an object
/// that is abandoned.
class ReceiptsTest {
  private static final UUID SESSION = new UUID(0, 7);
  private static final ByteString DEVICE = ByteString.copyFrom(new byte[32]);
  private static final SignedSessionToken TOKEN =
      SignedSessionToken.newBuilder()
          .setToken(
              SessionToken.newBuilder()
                  .setTokenId("t1")
                  .setDeviceKey(DEVICE)
                  .build()
                  .toByteString())
          .setSignature(ByteString.copyFromUtf8("signed"))
          .build();
  private static final SignedReceipt RECEIPT =
      SignedReceipt.newBuilder().setReceipt(ByteString.copyFromUtf8("r")).build();
  private static final long END_MS = 1_000_000;
  private static final long DAY_MS = Duration.ofHours(24).toMillis();

  @TempDir Path folder;
  private final ReportSigner signer = new ReportSigner("report", Ed25519.generate().getPrivate());
  private final List<IntervalBoundary> asked = new ArrayList<>();
  private final List<SignedUsageReport> sent = new ArrayList<>();
  private ReportSpool spool;
  private Receipts receipts;
  private ReportSender sender;
  private UsageReporting reporting;

  @BeforeEach
  void start() throws IOException {
    spool = ReportSpool.open(folder.resolve("spool"), 100);
    IntervalLog intervals = IntervalLog.open(folder.resolve("intervals"), 1 << 20);
    intervals.recover(spool, signer);
    receipts =
        new Receipts(spool, (_, _, all, _) -> asked.addAll(all), Duration.ofSeconds(2), () -> {});
    sender = new ReportSender(spool, receipts, 8);
    reporting = new UsageReporting(spool, intervals, signer, sender, receipts, Runnable::run);
    sender.onConnected(new Sent());
    asked.clear();
    sent.clear();
  }

  private final class Sent implements StreamObserver<SignedUsageReport> {
    @Override
    public void onNext(SignedUsageReport value) {
      sent.add(value);
    }

    @Override
    public void onError(Throwable why) {}

    @Override
    public void onCompleted() {}
  }

  private static UsageReport report(long sequence, long bytes) {
    UsageReport.Builder report =
        UsageReport.newBuilder()
            .setSessionId(SESSION.toString())
            .setEpoch(3)
            .setSequence(sequence)
            .setTokenId("t1")
            .setStartMs(END_MS - 5_000)
            .setEndMs(END_MS)
            .setPreBytes(bytes);
    return bytes == 0
        ? report.build()
        : report
            .addFlows(
                FlowUsage.newBuilder()
                    .setFlow(1)
                    .setUp(DirectionUsage.newBuilder().setPreBytes(bytes / 4))
                    .setDown(DirectionUsage.newBuilder().setPreBytes(bytes - bytes / 4)))
            .build();
  }

  private static IntervalUsage usage(long sequence, long bytes) {
    return new IntervalUsage(report(sequence, bytes), TOKEN, true);
  }

  private static ReportIdentity identity(long sequence) {
    return ReportIdentity.of(report(sequence, 0));
  }

  private void answer(long sequence, ReportVerdict verdict, long nowMs) throws IOException {
    sender.onAnswer(
        ReportAck.newBuilder()
            .setSessionId(SESSION.toString())
            .setEpoch(3)
            .setSequence(sequence)
            .setVerdict(verdict)
            .build(),
        nowMs);
    reporting.settle(nowMs);
  }

  private void close(IntervalUsage usage) {
    reporting.close(usage, () -> {});
    reporting.settle(0);
  }

  @Test
  void aReportWaitsAMomentForItsReceiptAndOthersPassIt() {
    close(usage(0, 100));
    close(usage(1, 0));
    assertThat(sent).as("a report without bytes owes none").hasSize(1);
    assertThat(asked)
        .containsExactly(
            IntervalBoundary.newBuilder()
                .setSessionId(SESSION.toString())
                .setEpoch(3)
                .setStartMs(END_MS - 5_000)
                .setEndMs(END_MS)
                .setUpBytes(25)
                .setDownBytes(75)
                .build());
    reporting.settle(1_999);
    assertThat(sent).hasSize(1);
    receipts.signed(identity(0), RECEIPT);
    reporting.settle(1_999);
    assertThat(sent).hasSize(2);
    assertThat(sent.getLast().getReceipt()).isEqualTo(RECEIPT);
    assertThat(sent.getLast().getToken()).isEqualTo(TOKEN);
  }

  @Test
  void withoutReceiptItGoesWhenTheMomentIsOverOrTheDeviceIsNotThere() {
    close(usage(0, 100));
    close(usage(1, 100));
    receipts.unreachable(identity(1));
    reporting.settle(1);
    assertThat(sent).hasSize(1);
    reporting.settle(2_000);
    assertThat(sent).hasSize(2);
    assertThat(sent).noneMatch(SignedUsageReport::hasReceipt);
  }

  @Test
  void aProvisionalReportIsKeptAndGoesAgainOnlyWithItsReceipt() throws Exception {
    close(usage(0, 100));
    reporting.settle(2_000);
    answer(0, ReportVerdict.PROVISIONAL, 2_001);
    reporting.settle(3_000_000);
    assertThat(sent).hasSize(1);
    assertThat(spool.pending()).isEqualTo(1);
    receipts.signed(identity(0), RECEIPT);
    reporting.settle(3_000_001);
    assertThat(sent).hasSize(2);
    assertThat(sent.getLast().getReport()).isEqualTo(sent.getFirst().getReport());
    assertThat(sent.getLast().getReceipt()).isEqualTo(RECEIPT);
    answer(0, ReportVerdict.ALREADY_POSTED, 3_000_002);
    assertThat(spool.pending()).isZero();
  }

  @Test
  void aReceiptThatComesWhileTheVerdictIsUnderWayIsSentAfterIt() throws Exception {
    close(usage(0, 100));
    reporting.settle(2_000);
    receipts.signed(identity(0), RECEIPT);
    answer(0, ReportVerdict.PROVISIONAL, 2_001);
    assertThat(sent).hasSize(2);
    assertThat(sent.getLast().hasReceipt()).isTrue();
    assertThat(spool.pending()).isEqualTo(1);
  }

  @Test
  void aRefusalGoesOnInTheEnvelopeAndALaterReceiptTakesItsPlace() throws Exception {
    close(usage(0, 100));
    receipts.refused(
        identity(0),
        ReceiptRefusal.newBuilder().setReason(ReceiptRefusalReason.COUNTS_DIFFER).build());
    reporting.settle(1);
    assertThat(sent.getFirst().getReceiptRefusal().getReason())
        .isEqualTo(ReceiptRefusalReason.COUNTS_DIFFER);
    answer(0, ReportVerdict.PROVISIONAL, 2);
    receipts.signed(identity(0), RECEIPT);
    reporting.settle(3);
    assertThat(sent.getLast().hasReceiptRefusal()).isFalse();
    assertThat(sent.getLast().hasReceipt()).isTrue();
  }

  @Test
  void aProvisionalReportIsForgottenADayAfterItsIntervalAndCounted() throws Exception {
    close(usage(0, 100));
    reporting.settle(2_000);
    answer(0, ReportVerdict.PROVISIONAL, 2_001);
    reporting.settle(END_MS + DAY_MS - 1);
    assertThat(spool.pending()).isEqualTo(1);
    reporting.settle(END_MS + DAY_MS);
    assertThat(spool.pending()).isZero();
    assertThat(receipts.expired().sum()).isEqualTo(1);
  }

  @Test
  void aReportThatNobodyWillSignAndOneThatIsHeldAreForgottenWhenBillingHasThem() throws Exception {
    close(new IntervalUsage(report(0, 100), TOKEN, false));
    close(usage(1, 100));
    reporting.settle(2_000);
    answer(0, ReportVerdict.PROVISIONAL, 2_001);
    answer(1, ReportVerdict.HELD, 2_001);
    assertThat(spool.pending()).isZero();
    assertThat(sent.getFirst().getReceiptRefusal().getReason())
        .isEqualTo(ReceiptRefusalReason.NOT_SUPPORTED);
  }

  @Test
  void whatADeviceOwesSurvivesARestartAndIsTakenUntilItHasSigned() throws Exception {
    close(usage(0, 100));
    close(usage(1, 300));
    close(usage(2, 0));
    start();
    assertThat(receipts.owed()).isEqualTo(2);
    List<IntervalBoundary> owed = new ArrayList<>();
    receipts.owedBy(DEVICE, owed::addAll);
    reporting.settle(10);
    assertThat(owed).extracting(IntervalBoundary::getSequence).containsExactly(0L, 1L);
    receipts.signed(identity(0), RECEIPT);
    reporting.settle(11);
    owed.clear();
    receipts.owedBy(DEVICE, owed::addAll);
    reporting.settle(12);
    assertThat(owed).extracting(IntervalBoundary::getSequence).containsExactly(1L);
    assertThat(receipts.notAsked().sum()).isZero();
  }

  @Test
  void theTokenOfAnOpenIntervalSurvivesACrashWithTheIntervalsLines() throws Exception {
    reporting.progress(List.of(usage(0, 100)), () -> {});
    reporting.progress(List.of(usage(0, 200)), () -> {});
    start();
    reporting.settle(0);
    SignedUsageReport recovered = spool.read(identity(0));
    assertThat(recovered.getToken()).isEqualTo(TOKEN);
    assertThat(UsageReport.parseFrom(recovered.getReport()).getPreBytes()).isEqualTo(200);
    assertThat(receipts.owed()).as("and its receipt is owed").isEqualTo(1);
  }

  @Test
  void theOpenIntervalOfAnAgentThatSignsNothingIsNotOwedAfterACrash() throws Exception {
    reporting.progress(List.of(new IntervalUsage(report(0, 100), TOKEN, false)), () -> {});
    start();
    reporting.settle(0);
    assertThat(receipts.owed()).isZero();
    assertThat(spool.read(identity(0)).getReceiptRefusal().getReason())
        .isEqualTo(ReceiptRefusalReason.NOT_SUPPORTED);
  }

  @Test
  void aQueuedReportIsKeptAndNotRepeatedUntilItsVerdictComes() throws Exception {
    close(usage(0, 0));
    answer(0, ReportVerdict.QUEUED, 1);
    reporting.settle(ReportSender.QUEUED_MS_MAX);
    assertThat(sent).hasSize(1);
    assertThat(spool.pending()).isEqualTo(1);
    answer(0, ReportVerdict.POSTED, ReportSender.QUEUED_MS_MAX);
    assertThat(spool.pending()).isZero();
  }

  @Test
  void aQueuedReportGoesAgainAfterTenMinutesOnANewStreamAndAfterARestart() throws Exception {
    close(usage(0, 0));
    answer(0, ReportVerdict.QUEUED, 1);
    reporting.settle(1 + ReportSender.QUEUED_MS_MAX);
    assertThat(sent).hasSize(1);
    reporting.settle(2 + ReportSender.QUEUED_MS_MAX);
    assertThat(sent).hasSize(2);
    answer(0, ReportVerdict.QUEUED, 3 + ReportSender.QUEUED_MS_MAX);
    sender.onDisconnected();
    sender.onConnected(new Sent());
    reporting.settle(4 + ReportSender.QUEUED_MS_MAX);
    assertThat(sent).hasSize(3);
    answer(0, ReportVerdict.QUEUED, 5 + ReportSender.QUEUED_MS_MAX);
    start();
    reporting.settle(6 + ReportSender.QUEUED_MS_MAX);
    assertThat(sent).hasSize(1);
  }

  @Test
  void aQueuedReportThatIsDeferredGoesAgainAfterThePauseAndOneThatIsRejectedIsPutAside()
      throws Exception {
    close(usage(0, 0));
    close(usage(1, 0));
    answer(0, ReportVerdict.QUEUED, 1);
    answer(1, ReportVerdict.QUEUED, 1);
    answer(0, ReportVerdict.DEFERRED, 2);
    answer(1, ReportVerdict.REJECTED, 2);
    assertThat(sent).hasSize(2);
    reporting.settle(10_000);
    assertThat(sent).hasSize(3);
    assertThat(sent.getLast()).isEqualTo(sent.getFirst());
    assertThat(spool.pending()).isEqualTo(1);
  }

  @Test
  void theReceiptOfAQueuedReportIsSentAndTheVerdictOnTheFirstEnvelopeDoesNotEndIt()
      throws Exception {
    close(usage(0, 100));
    reporting.settle(2_000);
    answer(0, ReportVerdict.QUEUED, 2_001);
    receipts.signed(identity(0), RECEIPT);
    reporting.settle(2_002);
    assertThat(sent).hasSize(2);
    assertThat(sent.getLast().hasReceipt()).isTrue();
    answer(0, ReportVerdict.QUEUED, 2_003);
    answer(0, ReportVerdict.PROVISIONAL, 2_004);
    assertThat(sent).hasSize(2);
    assertThat(spool.pending()).as("the verdict on the signed one is still to come").isEqualTo(1);
    answer(0, ReportVerdict.POSTED, 2_005);
    assertThat(spool.pending()).isZero();
  }

  @Test
  void aVerdictMayOvertakeTheAnswerThatTheReportIsQueued() throws Exception {
    close(usage(0, 100));
    reporting.settle(2_000);
    answer(0, ReportVerdict.PROVISIONAL, 2_001);
    answer(0, ReportVerdict.QUEUED, 2_001);
    sender.onDisconnected();
    sender.onConnected(new Sent());
    reporting.settle(2_002);
    assertThat(sent).as("it waits for its receipt").hasSize(1);
  }
}
