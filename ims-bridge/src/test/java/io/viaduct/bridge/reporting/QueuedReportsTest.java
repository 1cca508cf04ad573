package io.viaduct.bridge.reporting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.viaduct.bridge.BridgeRig;
import io.viaduct.service.broker.TestBroker;
import io.viaduct.usage.v1.QueuedReport;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SnaptsGrpc;
import io.viaduct.usage.v1.UsageReport;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.Signature;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Reports pass from a SNAPT through the bridge to a real broker, and verdicts come back by it. The
/// test itself is billing.
@Timeout(240)
class QueuedReportsTest {
  private static final String KAFKA =
      """
      reports: {transport: kafka}
      kafka:
        broker: {bootstrap: ["%s"], security: plaintext}
        reports: %s
        verdicts: %s
        deadline: 2s
        in-flight: 20
      """;
  @TempDir private static Path brokerFolder;
  private static TestBroker broker;
  private static int topics;

  @TempDir Path directory;
  private final BlockingQueue<ReportAck> acks = new LinkedBlockingQueue<>();
  private String reports;
  private String verdicts;
  private BridgeRig rig;
  private ManagedChannel channel;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = TestBroker.start(brokerFolder.resolve("kafka"));
  }

  @AfterAll
  static void stopBroker() throws Exception {
    broker.close();
  }

  @BeforeEach
  void start() throws Exception {
    broker.restartIfKilled();
    topics++;
    reports = "reports-" + topics;
    verdicts = "verdicts-" + topics;
    broker.create(reports, 3);
    broker.create(verdicts, 2);
    rig =
        new BridgeRig(
            directory, BridgeRig.NO_BILLING, KAFKA.formatted(broker.address(), reports, verdicts));
  }

  @AfterEach
  void stop() throws Exception {
    if (channel != null) {
      channel.shutdownNow();
    }
    rig.close();
  }

  private StreamObserver<SignedUsageReport> open() throws Exception {
    if (channel != null) {
      channel.shutdownNow();
    }
    channel = rig.channel(rig.authority.material("snapt-1"));
    return SnaptsGrpc.newStub(channel)
        .report(
            new StreamObserver<>() {
              @Override
              public void onNext(ReportAck ack) {
                acks.add(ack);
              }

              @Override
              public void onError(Throwable cause) {}

              @Override
              public void onCompleted() {}
            });
  }

  private SignedUsageReport report(long sequence, String account) throws Exception {
    UsageReport report =
        UsageReport.newBuilder()
            .setSnaptId("snapt-1")
            .setSessionId("4f0c")
            .setEpoch(3)
            .setSequence(sequence)
            .setAccount(account)
            .setStartMs(1000)
            .setEndMs(6000)
            .build();
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(rig.reportKey.getPrivate());
    signature.update("viaduct usage report\0".getBytes(StandardCharsets.US_ASCII));
    signature.update(report.toByteArray());
    return SignedUsageReport.newBuilder()
        .setReport(report.toByteString())
        .setSignature(ByteString.copyFrom(signature.sign()))
        .build();
  }

  private ReportAck next() throws InterruptedException {
    ReportAck ack = acks.poll(45, TimeUnit.SECONDS);
    assertThat(ack).isNotNull();
    return ack;
  }

  /// Sends a report until the broker has it: the bridge may not read verdicts yet.
  private void sendUntilQueued(StreamObserver<SignedUsageReport> stream, SignedUsageReport report) {
    await()
        .until(() -> {
          stream.onNext(report);
          return next().getVerdict() == ReportVerdict.QUEUED;
        });
  }

  private void answer(long sequence, ReportVerdict verdict, String snapt) throws Exception {
    ReportAck ack =
        ReportAck.newBuilder()
            .setSnaptId(snapt)
            .setSessionId("4f0c")
            .setEpoch(3)
            .setSequence(sequence)
            .setVerdict(verdict)
            .build();
    broker.write(verdicts, snapt.getBytes(StandardCharsets.UTF_8), ack.toByteArray());
  }

  @Test
  void aReportIsQueuedByItsAccountAndItsVerdictComesBackOnTheStream() throws Exception {
    var stream = open();
    sendUntilQueued(stream, report(0, "alice"));
    for (int i = 1; i < 20; i++) {
      stream.onNext(report(i, i % 2 == 0 ? "alice" : "bob"));
    }
    for (int i = 1; i < 20; i++) {
      assertThat(next().getVerdict()).isEqualTo(ReportVerdict.QUEUED);
    }
    List<ConsumerRecord<byte[], byte[]>> records = broker.read(reports);
    assertThat(records).hasSize(20);
    for (String account : List.of("alice", "bob")) {
      List<ConsumerRecord<byte[], byte[]>> own =
          records.stream()
              .filter(record -> new String(record.key(), StandardCharsets.UTF_8).equals(account))
              .toList();
      assertThat(own)
          .extracting(ConsumerRecord::partition)
          .containsOnly(own.getFirst().partition());
      long last = -1;
      for (var record : own) {
        QueuedReport queued = QueuedReport.parseFrom(record.value());
        UsageReport content = UsageReport.parseFrom(queued.getReport().getReport());
        assertThat(content.getAccount()).isEqualTo(account);
        assertThat(content.getSequence()).isGreaterThan(last);
        assertThat(queued.getTokenKeysList()).isNotEmpty();
        assertThat(queued.getReceivedMs()).isEqualTo(rig.clock.millis());
        last = content.getSequence();
      }
    }
    answer(0, ReportVerdict.POSTED, "snapt-2");
    answer(7, ReportVerdict.POSTED, "snapt-1");
    ReportAck verdict = next();
    assertThat(verdict.getVerdict()).isEqualTo(ReportVerdict.POSTED);
    assertThat(verdict.getSequence()).isEqualTo(7);
    broker.write(verdicts, new byte[0], new byte[] {(byte) 0xff});
    answer(7, ReportVerdict.QUEUED, "snapt-1"); // not a verdict of billing
    await().until(() -> count("viaduct_bridge_queue_verdicts", "outcome", "malformed") == 2);
    assertThat(count("viaduct_bridge_queue_verdicts", "outcome", "other_bridge")).isEqualTo(1);
  }

  private double count(String name, String label, String value) {
    return rig.counter(name, label, value);
  }

  @Test
  void whileTheBrokerIsAwayReportsAreDeferredAndTheBridgeIsNotReady() throws Exception {
    var stream = open();
    sendUntilQueued(stream, report(0, "alice"));
    broker.kill();
    stream.onNext(report(1, "alice"));
    assertThat(next().getVerdict()).isEqualTo(ReportVerdict.DEFERRED);
    assertThat(rig.readiness.obstacles()).containsKey("broker");
    assertThat(count("viaduct_bridge_queue_deferred", "reason", "broker")).isPositive();
    broker.restart();
    sendUntilQueued(stream, report(1, "alice"));
    assertThat(rig.readiness.obstacles()).doesNotContainKey("broker");
    answer(1, ReportVerdict.POSTED, "snapt-1");
    assertThat(next().getVerdict())
        .as("verdicts are read again without a restart of the bridge")
        .isEqualTo(ReportVerdict.POSTED);
  }

  @Test
  void afterARestartOfTheBridgeAReportIsQueuedAgainAndOldVerdictsAreNotRead() throws Exception {
    var stream = open();
    sendUntilQueued(stream, report(0, "alice"));
    answer(0, ReportVerdict.POSTED, "snapt-1");
    assertThat(next().getVerdict()).isEqualTo(ReportVerdict.POSTED);
    rig.bridge.close();
    rig.start(rig.configuration);
    stream = open();
    sendUntilQueued(stream, report(1, "alice"));
    answer(1, ReportVerdict.ALREADY_POSTED, "snapt-1");
    ReportAck verdict = next();
    assertThat(verdict.getSequence()).isEqualTo(1);
    assertThat(verdict.getVerdict()).isEqualTo(ReportVerdict.ALREADY_POSTED);
  }

  @Test
  void reportsBeyondTheLimitAreDeferredAtOnce() throws Exception {
    var stream = open();
    sendUntilQueued(stream, report(0, "alice"));
    broker.hang();
    try {
      for (int i = 1; i <= 150; i++) {
        stream.onNext(report(i, "alice"));
      }
      for (int i = 1; i <= 150; i++) {
        assertThat(next().getVerdict()).isEqualTo(ReportVerdict.DEFERRED);
      }
    } finally {
      broker.goOn();
    }
    double byLimit = count("viaduct_bridge_queue_deferred", "reason", "in_flight");
    double byBroker = count("viaduct_bridge_queue_deferred", "reason", "broker");
    assertThat(byLimit).isPositive();
    assertThat(byBroker).isGreaterThanOrEqualTo(20);
    assertThat(rig.registry.get("viaduct_bridge_reports_queued").gauge().value()).isZero();
  }

  @Test
  void theTransportNeedsABroker() {
    assertThatThrownBy(
            () -> new BridgeRig(directory.resolve("other"), 1, "reports: {transport: kafka}\n"))
        .hasMessageContaining("kafka.broker.bootstrap");
  }
}
