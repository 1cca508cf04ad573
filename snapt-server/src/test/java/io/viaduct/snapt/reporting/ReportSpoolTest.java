package io.viaduct.snapt.reporting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.stub.StreamObserver;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.Signature;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the files at every point where a process may end. A crash is simulated by an object that
/// is abandoned.
class ReportSpoolTest {
  private static final UUID SESSION = UUID.randomUUID();
  @TempDir Path folder;
  private final KeyPair key = Ed25519.generate();
  private final ReportSigner signer = new ReportSigner("report", key.getPrivate());
  private ReportSpool spool;
  private ReportSender sender;
  private UsageReporting reporting;
  private final Sent sent = new Sent();

  private static final class Sent implements StreamObserver<SignedUsageReport> {
    final List<UsageReport> reports = new ArrayList<>();

    @Override
    public void onNext(SignedUsageReport value) {
      try {
        reports.add(UsageReport.parseFrom(value.getReport()));
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void onError(Throwable why) {}

    @Override
    public void onCompleted() {}
  }

  @BeforeEach
  void start() throws IOException {
    spool = ReportSpool.open(folder.resolve("spool"), 3);
    IntervalLog intervals = IntervalLog.open(folder.resolve("intervals"), 1 << 20);
    intervals.recover(spool, signer);
    sender = new ReportSender(spool, TestUsage.noReceipts(spool), 2);
    reporting =
        new UsageReporting(
            spool, intervals, signer, sender, TestUsage.noReceipts(spool), Runnable::run);
    sent.reports.clear();
  }

  private static UsageReport report(long sequence, long bytes) {
    return UsageReport.newBuilder()
        .setSnaptId("snapt-1")
        .setSessionId(SESSION.toString())
        .setEpoch(3)
        .setSequence(sequence)
        .setPreBytes(bytes)
        .addFlows(
            FlowUsage.newBuilder().setFlow(1).setUp(DirectionUsage.newBuilder().setPreBytes(bytes)))
        .build();
  }

  private static ReportAck ack(UsageReport report, ReportVerdict verdict) {
    return ReportAck.newBuilder()
        .setSnaptId("snapt-1")
        .setSessionId(report.getSessionId())
        .setEpoch(report.getEpoch())
        .setSequence(report.getSequence())
        .setVerdict(verdict)
        .build();
  }

  private List<UsageReport> spooled() throws IOException {
    List<UsageReport> reports = new ArrayList<>();
    Optional<ReportIdentity> next = spool.next(Optional.empty());
    while (next.isPresent()) {
      reports.add(UsageReport.parseFrom(spool.read(next.get()).getReport()));
      next = spool.next(next);
    }
    return reports;
  }

  @Test
  void aProcessThatDiesInAnIntervalLosesNothingOfWhatTheLogHas() throws Exception {
    reporting.progress(TestUsage.list(report(0, 100)), () -> {});
    reporting.settle(0);
    start();
    assertThat(spooled()).containsExactly(report(0, 100).toBuilder().setLast(true).build());
    start();
    assertThat(spooled()).as("and once only").hasSize(1);
  }

  @Test
  void aProcessThatDiesBetweenSpoolAndLogKeepsTheWholeReportOnly() throws Exception {
    reporting.progress(TestUsage.list(report(0, 100)), () -> {});
    reporting.settle(0);
    spool.add(
        ReportIdentity.of(report(0, 150)),
        signer.sign(report(0, 150), SignedSessionToken.getDefaultInstance()));
    start();
    assertThat(spooled()).containsExactly(report(0, 150));
  }

  @Test
  void aReportIsOfferedOnlyAfterTheLogSaysThatItsIntervalIsClosed() throws Exception {
    sender.onConnected(sent);
    reporting.progress(TestUsage.list(report(0, 100)), () -> {});
    reporting.settle(0);
    reporting.close(TestUsage.of(report(0, 150)), () -> {});
    reporting.progress(TestUsage.list(report(1, 5)), () -> {});
    reporting.settle(1);
    assertThat(sent.reports).containsExactly(report(0, 150));
    sender.onAnswer(ack(report(0, 150), ReportVerdict.POSTED), 2);
    start();
    assertThat(spooled()).containsExactly(report(1, 5).toBuilder().setLast(true).build());
  }

  @Test
  void anUnfinishedFileIsNoReportAndADamagedOneIsKeptForTheOperator() throws Exception {
    Path directory = folder.resolve("spool");
    Files.writeString(directory.resolve("3-9-" + SESSION + ".report.unfinished"), "half");
    Files.writeString(directory.resolve("3-8-" + SESSION + ".report"), "damaged");
    start();
    assertThat(spool.pending()).isZero();
    assertThat(directory.resolve("refused").resolve("3-8-" + SESSION + ".report")).exists();
    assertThat(directory.resolve("3-9-" + SESSION + ".report.unfinished")).doesNotExist();
  }

  @Test
  void reportsAreSentInTheWindowAndAgainAfterAReconnectUntilAcknowledged() throws Exception {
    for (int i = 0; i < 3; i++) {
      reporting.close(TestUsage.of(report(i, i)), () -> {});
    }
    sender.onConnected(sent);
    reporting.settle(0);
    assertThat(sent.reports).containsExactly(report(0, 0), report(1, 1));
    sender.onAnswer(ack(report(0, 0), ReportVerdict.POSTED), 1);
    sender.onDisconnected();
    sent.reports.clear();
    sender.onConnected(sent);
    sender.pump(2);
    assertThat(sent.reports).containsExactly(report(1, 1), report(2, 2));
    sender.onAnswer(ack(report(1, 1), ReportVerdict.ALREADY_POSTED), 3);
    sender.onAnswer(ack(report(2, 2), ReportVerdict.POSTED), 3);
    assertThat(spool.pending()).isZero();
    assertThat(folder.resolve("spool")).isDirectoryNotContaining("glob:**.report");
  }

  @Test
  void refusedReportsMoveAsideAndDeferredOnesWait() throws Exception {
    for (int i = 0; i < 3; i++) {
      reporting.close(TestUsage.of(report(i, i)), () -> {});
    }
    sender.onConnected(sent);
    reporting.settle(0);
    sender.onAnswer(ack(report(0, 0), ReportVerdict.CONFLICT), 0);
    sender.onAnswer(ack(report(1, 1), ReportVerdict.DEFERRED), 0);
    sender.pump(100);
    assertThat(sent.reports).as("a pause after DEFERRED").hasSize(2);
    sender.pump(600);
    assertThat(sent.reports)
        .containsExactly(report(0, 0), report(1, 1), report(1, 1), report(2, 2));
    sender.onAnswer(ack(report(2, 2), ReportVerdict.REJECTED), 700);
    assertThat(spooled()).containsExactly(report(1, 1));
    assertThat(sender.verdicts().of(ReportVerdict.CONFLICT)).isEqualTo(1);
    try (var files = Files.list(folder.resolve("spool").resolve("refused"))) {
      assertThat(files).hasSize(2);
    }
  }

  @Test
  void aReportWithoutAnswerGoesAgainAndAnAnswerToNoReportIsCounted() throws Exception {
    reporting.close(TestUsage.of(report(0, 0)), () -> {});
    sender.onConnected(sent);
    reporting.settle(0);
    sender.pump(29_999);
    assertThat(sent.reports).hasSize(1);
    sender.pump(30_000);
    assertThat(sent.reports).hasSize(2);
    sender.onAnswer(ack(report(9, 0), ReportVerdict.POSTED), 0);
    sender.onAnswer(ReportAck.newBuilder().setSessionId("x").build(), 0);
    assertThat(sender.unknownAnswers().sum()).isEqualTo(2);
    assertThat(spool.pending()).isEqualTo(1);
  }

  @Test
  void aFullSpoolKeepsEveryReportAndSaysThatItIsFull() {
    for (int i = 0; i < 5; i++) {
      assertThat(reporting.isFull()).isEqualTo(i >= 3);
      reporting.close(TestUsage.of(report(i, i)), () -> {});
      reporting.settle(0);
    }
    assertThat(reporting.pending()).isEqualTo(5);
  }

  @Test
  void aDiskThatRefusesIsCountedAndNothingIsForgotten() throws Exception {
    Path directory = folder.resolve("spool");
    Path aside = folder.resolve("aside");
    Files.move(directory, aside);
    reporting.close(TestUsage.of(report(0, 1)), () -> {});
    reporting.settle(0);
    assertThat(reporting.diskFailures().sum()).isEqualTo(1);
    assertThat(reporting.pending()).isEqualTo(1);
    Files.move(aside, directory);
    reporting.settle(1);
    assertThat(spooled()).containsExactly(report(0, 1));
  }

  @Test
  void everyStartHasItsOwnEpochAndALostCountIsNotGuessed() throws Exception {
    Path file = folder.resolve("epoch");
    assertThat(StartCounter.next(file)).isEqualTo(1);
    assertThat(StartCounter.next(file)).isEqualTo(2);
    Files.writeString(file, "rubbish");
    assertThatThrownBy(() -> StartCounter.next(file)).hasMessageContaining("number of starts");
  }

  @Test
  void theSignatureCoversLabelAndReport() throws Exception {
    SignedUsageReport signed = signer.sign(report(0, 1), SignedSessionToken.getDefaultInstance());
    Signature check = Signature.getInstance("Ed25519");
    check.initVerify(key.getPublic());
    check.update("viaduct usage report\0".getBytes(StandardCharsets.US_ASCII));
    check.update(signed.getReport().toByteArray());
    assertThat(check.verify(signed.getSignature().toByteArray())).isTrue();
    assertThat(signer.toString()).doesNotContain("key=");
  }

  @Test
  void theOldestReportIsAsOldAsTheEndOfItsIntervalAlsoAfterAStart() throws Exception {
    assertThat(spool.oldestSeconds(9_000)).as("none waits").isZero();
    for (long sequence : new long[] {1, 0}) {
      UsageReport report =
          report(sequence, 100).toBuilder().setEndMs(5_000 - 2_000 * sequence).build();
      spool.add(
          ReportIdentity.of(report), signer.sign(report, SignedSessionToken.getDefaultInstance()));
    }
    assertThat(spool.oldestSeconds(9_000)).isEqualTo(6);
    start();
    assertThat(spool.oldestSeconds(9_000)).isEqualTo(6);
    spool.acknowledge(new ReportIdentity(3, 1, SESSION));
    assertThat(spool.oldestSeconds(9_000)).isEqualTo(4);
  }
}
