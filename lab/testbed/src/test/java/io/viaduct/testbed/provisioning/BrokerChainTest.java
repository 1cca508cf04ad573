package io.viaduct.testbed.provisioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.service.broker.TestBroker;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.usage.ProvenReport;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.DelaySource;
import io.viaduct.usage.v1.DeviceFlow;
import io.viaduct.usage.v1.DeviceReport;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.SignedDeviceReport;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SnaptsGrpc;
import io.viaduct.usage.v1.UsageReport;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A report goes from a SNAPT's stream by a real bridge, over a real broker, to a real billing with
/// its PostgreSQL, and the verdict comes back. The test holds the SNAPT's end of the stream.
@Timeout(240)
class BrokerChainTest {
  private static final String KAFKA =
      """
      kafka:
        broker: {bootstrap: ["%s"], security: plaintext}
        reports: reports
        verdicts: verdicts
        deadline: 2s
      """;

  @TempDir Path directory;
  private final KeyPair reportKey = Ed25519.generate();
  private final BlockingQueue<ReportAck> acks = new LinkedBlockingQueue<>();
  private StreamObserver<SignedUsageReport> stream;

  @Test
  void aReportIsPostedOnceOverABrokerThatIsKilledAndTheVerdictComesBack() throws Exception {
    try (TestBroker broker = TestBroker.start(directory.resolve("kafka"))) {
      broker.create("reports", 3);
      broker.create("verdicts", 1);
      TestAuthority authority = new TestAuthority(directory.resolve("operator"));
      String kafka = KAFKA.formatted(broker.address());
      try (SideBySide services =
          new SideBySide(
              directory,
              authority,
              kafka
                  + "  group: billing\n"
                  + "  take-over: 2s\n"
                  + "snapts: [{id: snapt-1, report-key: \"%s\", owner: acme, region: core}]\n"
                      .formatted(base64(reportKey)),
              kafka + "reports: {transport: kafka}\n")) {
        services.send(
            "POST",
            "/accounts",
            "{\"id\":\"alice\",\"password\":\"alice-secret\",\"role\":\"user\"}");
        await()
            .atMost(Duration.ofSeconds(45))
            .until(() -> services.snapts().configured("snapt-1").isPresent());
        ManagedChannel channel =
            NettyChannelBuilder.forAddress("127.0.0.1", services.snaptsPort())
                .sslContext(
                    GrpcSslContexts.configure(
                            authority.material("snapt-1").clientBuilder(), SslProvider.JDK)
                        .build())
                .build();
        try {
          stream = SnaptsGrpc.newStub(channel).report(answers());
          SignedUsageReport first = report(0);
          sendUntilFinal(first, 0);
          broker.kill();
          SignedUsageReport second = report(1);
          stream.onNext(second);
          assertThat(next(1).getVerdict()).isEqualTo(ReportVerdict.DEFERRED);
          broker.restart();
          sendUntilFinal(second, 1);
          sendUntilFinal(first, 0); // again: billing has it
          assertThat(services.send("GET", "/accounts/alice/charges", "").get("charges")).hasSize(2);
          publishes(services, 0);
          publishes(services, 2);
        } finally {
          channel.shutdownNow();
        }
      }
    }
  }

  // The device's own report goes past SNAPT and broker. The one about an interval that no SNAPT has
  // reported waits.
  private void publishes(SideBySide services, long sequence) throws Exception {
    UsageReport of = UsageReport.parseFrom(report(sequence).getReport());
    ProvenReport device = proven();
    SignedDeviceReport seen =
        device.ofDevice(
            DeviceReport.newBuilder()
                .setSnaptId(of.getSnaptId())
                .setSessionId(of.getSessionId())
                .setEpoch(of.getEpoch())
                .setSequence(of.getSequence())
                .setAccount(of.getAccount())
                .setIcid(of.getIcid())
                .setTokenId(of.getTokenId())
                .setStartMs(of.getStartMs())
                .setEndMs(of.getEndMs())
                .addFlows(
                    DeviceFlow.newBuilder()
                        .setFlow(1)
                        .setServiceClass(ServiceClass.HT_LD)
                        .setApplication("skype-video")
                        .setProtocol(17)
                        .setUpBytes(450_000)
                        .setDurationMs(60_000))
                .build(),
            device.token(of));
    try (UserAgent alice =
        services.userAgent("alice", "alice-secret", new UserAgentListener() {})) {
      alice.register();
      await().atMost(Duration.ofSeconds(45)).until(() -> alice.state().isRegistered());
      assertThat(
              alice
                  .publish(
                      "viaduct-usage", "application/vnd.viaduct.device-report", seen.toByteArray())
                  .get(45, TimeUnit.SECONDS)
                  .status())
          .isEqualTo(200);
    }
  }

  // As a SNAPT: again after DEFERRED, silent after QUEUED.
  private void sendUntilFinal(SignedUsageReport report, long sequence) throws Exception {
    stream.onNext(report);
    for (ReportAck ack = next(sequence); ; ack = next(sequence)) {
      switch (ack.getVerdict()) {
        case POSTED, ALREADY_POSTED -> {
          return;
        }
        case DEFERRED -> stream.onNext(report);
        default -> assertThat(ack.getVerdict()).isEqualTo(ReportVerdict.QUEUED);
      }
    }
  }

  // A verdict may come again: billing reads once more what it had not committed at the broker.
  private ReportAck next(long sequence) throws InterruptedException {
    ReportAck ack;
    do {
      ack = acks.poll(60, TimeUnit.SECONDS);
      assertThat(ack).isNotNull();
    } while (ack.getSequence() != sequence);
    return ack;
  }

  private StreamObserver<ReportAck> answers() {
    return new StreamObserver<>() {
      @Override
      public void onNext(ReportAck ack) {
        acks.add(ack);
      }

      @Override
      public void onError(Throwable cause) {}

      @Override
      public void onCompleted() {}
    };
  }

  private SignedUsageReport report(long sequence) throws Exception {
    long now = System.currentTimeMillis();
    UsageReport report =
        UsageReport.newBuilder()
            .setSnaptId("snapt-1")
            .setSessionId("4f0c")
            .setEpoch(3)
            .setSequence(sequence)
            .setAccount("alice")
            .setIcid("icid-1")
            .setTokenId("t1")
            .setStartMs(now - 60_000)
            .setEndMs(now)
            .addFlows(
                FlowUsage.newBuilder()
                    .setFlow(1)
                    .setServiceClass(ServiceClass.HT_LD)
                    .setApplication("skype-video")
                    .setProtocol(17)
                    .setRemoteAddress("192.0.2.1")
                    .setRemotePort(5000)
                    .setUp(DirectionUsage.newBuilder().setPreBytes(450_000).setPostBytes(180_000))
                    .setDown(DirectionUsage.newBuilder())
                    .setDurationMs(60_000)
                    .setDelayMs(20)
                    .setDelaySource(DelaySource.MEASURED))
            .setPreBytes(450_000)
            .setPostBytes(180_000)
            .build();
    SignedUsageReport envelope = proven().complete(report);
    return envelope.toBuilder()
        .setSignature(SignedMessage.USAGE_REPORT.sign(reportKey.getPrivate(), envelope.getReport()))
        .build();
  }

  // The device, with a token by the bridge's own key.
  private ProvenReport proven() throws Exception {
    KeyPair signing = Ed25519.readPair(directory.resolve("token.key"));
    byte[] hash =
        MessageDigest.getInstance("SHA-256")
            .digest(Ed25519.raw((EdECPublicKey) signing.getPublic()));
    return new ProvenReport(
        signing, HexFormat.of().formatHex(Arrays.copyOf(hash, 8)), ProvenReport.keyPair());
  }

  private static String base64(KeyPair pair) {
    return Base64.getEncoder().encodeToString(Ed25519.raw((EdECPublicKey) pair.getPublic()));
  }
}
