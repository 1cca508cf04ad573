package io.viaduct.bridge.reporting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.viaduct.bridge.BillingStub;
import io.viaduct.bridge.BridgeRig;
import io.viaduct.bridge.ReservedPort;
import io.viaduct.bridge.RunningBridge;
import io.viaduct.bridge.directory.SnaptEntry.State;
import io.viaduct.service.logging.CapturedLog;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SnaptStatus;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.SnaptsGrpc;
import io.viaduct.usage.v1.UsageReport;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.Signature;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Reports pass from a SNAPT through the bridge to billing, over gRPC with mutual TLS and real
/// sockets. Billing is a stub of its protocol.
@Timeout(120)
class ReportIngestTest {
  @TempDir Path directory;
  private ReservedPort port;
  private BridgeRig rig;
  private BillingStub billing;
  private TlsMaterial billingTls;
  private final List<ManagedChannel> channels = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    // The rig needs billing's port, and billing needs the rig's certificates.
    port = new ReservedPort();
    rig = new BridgeRig(directory, port.number(), "");
    billingTls = rig.authority.material("danum-billing");
    billing = new BillingStub(billingTls, port.number());
    rig.awaitBilling();
  }

  @AfterEach
  void stop() throws Exception {
    channels.forEach(ManagedChannel::shutdownNow);
    billing.close();
    rig.close();
    port.close();
  }

  private SnaptsGrpc.SnaptsStub snapt(TlsMaterial tls) throws Exception {
    ManagedChannel channel = rig.channel(tls);
    channels.add(channel);
    return SnaptsGrpc.newStub(channel);
  }

  /// Records the answers on a stream: values, then an error or the end.
  private static final class Answers<T> implements StreamObserver<T> {
    final BlockingQueue<T> values = new LinkedBlockingQueue<>();
    final BlockingQueue<Status> ends = new LinkedBlockingQueue<>();

    @Override
    public void onNext(T value) {
      values.add(value);
    }

    @Override
    public void onError(Throwable cause) {
      ends.add(Status.fromThrowable(cause));
    }

    @Override
    public void onCompleted() {
      ends.add(Status.OK);
    }

    T next() throws InterruptedException {
      T value = values.poll(45, TimeUnit.SECONDS);
      assertThat(value).as("end: %s", ends).isNotNull();
      return value;
    }
  }

  private static UsageReport.Builder report(String snapt, long sequence) {
    return UsageReport.newBuilder()
        .setSnaptId(snapt)
        .setSessionId("4f0c")
        .setEpoch(3)
        .setSequence(sequence)
        .setAccount("alice")
        .setStartMs(1000)
        .setEndMs(6000);
  }

  private static SignedUsageReport signed(UsageReport report, KeyPair key) throws Exception {
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(key.getPrivate());
    signature.update("viaduct usage report\0".getBytes(StandardCharsets.US_ASCII));
    signature.update(report.toByteArray());
    return SignedUsageReport.newBuilder()
        .setReport(report.toByteString())
        .setSignature(ByteString.copyFrom(signature.sign()))
        .build();
  }

  private ReportAck submit(SignedUsageReport report) throws Exception {
    Answers<ReportAck> acks = new Answers<>();
    StreamObserver<SignedUsageReport> stream =
        snapt(rig.authority.material("snapt-1")).report(acks);
    stream.onNext(report);
    stream.onCompleted();
    return acks.next();
  }

  @Test
  void aGenuineReportIsAcknowledgedWithBillingsVerdict() throws Exception {
    UsageReport report = report("snapt-1", 0).build();
    ReportAck ack = submit(signed(report, rig.reportKey));
    assertThat(ack.getVerdict()).isEqualTo(ReportVerdict.POSTED);
    assertThat(ack.getSessionId()).isEqualTo("4f0c");
    assertThat(ack.getEpoch()).isEqualTo(3);
    assertThat(billing.posted).containsExactly(report);
    assertThat(submit(signed(report, rig.reportKey)).getVerdict())
        .isEqualTo(ReportVerdict.ALREADY_POSTED);
    assertThat(billing.posted).containsExactly(report);
    UsageReport unknown = report("snapt-1", 1).setAccount("nobody").build();
    assertThat(submit(signed(unknown, rig.reportKey)).getVerdict())
        .isEqualTo(ReportVerdict.REJECTED);
  }

  @Test
  void manyReportsTravelInBatchesAndEachGetsItsOwnAcknowledgement() throws Exception {
    Answers<ReportAck> acks = new Answers<>();
    var stream = snapt(rig.authority.material("snapt-1")).report(acks);
    for (int i = 0; i < 600; i++) {
      stream.onNext(signed(report("snapt-1", i).build(), rig.reportKey));
    }
    stream.onCompleted();
    boolean[] seen = new boolean[600];
    for (int i = 0; i < 600; i++) {
      ReportAck ack = acks.next();
      assertThat(ack.getVerdict()).isEqualTo(ReportVerdict.POSTED);
      assertThat(seen[(int) ack.getSequence()]).isFalse();
      seen[(int) ack.getSequence()] = true;
    }
    assertThat(acks.ends.poll(45, TimeUnit.SECONDS)).isEqualTo(Status.OK);
    assertThat(billing.posted).hasSize(600);
    assertThat(billing.batches).hasSizeLessThan(300);
  }

  @Test
  void aWrongSignatureIsRejectedAndBillingNeverSeesIt() throws Exception {
    ReportAck ack = submit(signed(report("snapt-1", 0).build(), Ed25519.generate()));
    assertThat(ack.getVerdict()).isEqualTo(ReportVerdict.REJECTED);
    assertThat(ack.getReason()).contains("WRONG_SIGNATURE");
    SignedUsageReport good = signed(report("snapt-1", 0).build(), rig.reportKey);
    SignedUsageReport altered =
        good.toBuilder().setReport(report("snapt-1", 1).build().toByteString()).build();
    assertThat(submit(altered).getReason()).contains("WRONG_SIGNATURE");
    assertThat(submit(good.toBuilder().clearSignature().build()).getReason())
        .contains("WRONG_SIGNATURE");
    assertThat(billing.posted).isEmpty();
    assertThat(rig.counter("viaduct_bridge_reports_refused", "reason", "wrong_signature"))
        .isEqualTo(3);
  }

  @Test
  void aReportInAnotherSnaptsNameIsRejected() throws Exception {
    ReportAck ack = submit(signed(report("snapt-2", 0).build(), rig.reportKey));
    assertThat(ack.getVerdict()).isEqualTo(ReportVerdict.REJECTED);
    assertThat(ack.getReason()).contains("FOREIGN_SNAPT");
    assertThat(billing.posted).isEmpty();
  }

  @Test
  void aMalformedOrIncompleteOrOversizedReportIsRejectedAndCounted() throws Exception {
    SignedUsageReport garbage =
        SignedUsageReport.newBuilder()
            .setReport(ByteString.copyFrom(new byte[] {(byte) 0xff, 1, 2, 3}))
            .build();
    assertThat(submit(garbage).getReason()).contains("MALFORMED");
    assertThat(
            submit(signed(report("snapt-1", 0).setAccount("").build(), rig.reportKey)).getReason())
        .contains("INCOMPLETE");
    UsageReport huge = report("snapt-1", 0).setIcid("x".repeat(200_000)).build();
    assertThat(submit(signed(huge, rig.reportKey)).getReason()).contains("TOO_LONG");
    for (String reason : new String[] {"malformed", "incomplete", "too_long"}) {
      assertThat(rig.counter("viaduct_bridge_reports_refused", "reason", reason)).isEqualTo(1);
    }
    assertThat(billing.posted).isEmpty();
  }

  @Test
  void aReportThatGrpcItselfDoesNotTakeIsCountedAndTheSnaptIsToldTheLimit() throws Exception {
    UsageReport huge = report("snapt-1", 0).setIcid("x".repeat(2 << 20)).build();
    Answers<ReportAck> acks = new Answers<>();
    snapt(rig.authority.material("snapt-1")).report(acks).onNext(signed(huge, rig.reportKey));
    Status end = acks.ends.poll(45, TimeUnit.SECONDS);
    assertThat(end.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(end.getDescription()).contains(Integer.toString(1 << 20));
    await()
        .until(() ->
            rig.counter("viaduct_bridge_reports_refused", "reason", "over_message_limit") == 1);
    assertThat(billing.posted).isEmpty();
    assertThat(submit(signed(report("snapt-1", 1).build(), rig.reportKey)).getVerdict())
        .as("the next report, on a new stream")
        .isEqualTo(ReportVerdict.POSTED);
  }

  @Test
  void whenBillingIsAwayReportsAreDeferredAndPostedOnceItIsBack() throws Exception {
    billing.close();
    SignedUsageReport report = signed(report("snapt-1", 0).build(), rig.reportKey);
    assertThat(submit(report).getVerdict()).isEqualTo(ReportVerdict.DEFERRED);
    assertThat(rig.registry.get("viaduct_bridge_billing_failures").counter().count())
        .isGreaterThanOrEqualTo(1);
    billing = new BillingStub(billingTls, rig.configuration.billing().port());
    await().until(() -> submit(report).getVerdict() == ReportVerdict.POSTED);
    assertThat(billing.posted).hasSize(1);
  }

  @Test
  void whenBillingFailsInsideReportsAreDeferred() throws Exception {
    billing.broken = true;
    assertThat(submit(signed(report("snapt-1", 0).build(), rig.reportKey)).getVerdict())
        .isEqualTo(ReportVerdict.DEFERRED);
  }

  @Test
  void aCertificateThatNamesNoSnaptIsTurnedAway() throws Exception {
    Answers<ReportAck> acks = new Answers<>();
    var unused = snapt(rig.authority.material("snapt-9")).report(acks);
    assertThat(acks.ends.poll(45, TimeUnit.SECONDS).getCode())
        .isEqualTo(Status.Code.PERMISSION_DENIED);
    assertThat(rig.registry.get("viaduct_bridge_grpc_strangers").counter().count()).isEqualTo(1);
  }

  @Test
  void aCertificateOfAnotherAuthorityDoesNotGetIn() throws Exception {
    TestAuthority other = new TestAuthority(directory.resolve("other"));
    var stranger = other.issue("snapt-1");
    TlsMaterial mixed =
        TlsMaterial.load(
            new io.viaduct.service.tls.TlsSettings(
                stranger.certificate(),
                stranger.privateKey(),
                rig.authority.issue("snapt-1").trust()));
    Answers<ReportAck> acks = new Answers<>();
    try (CapturedLog said = CapturedLog.of("io.viaduct.service.tls")) {
      var stream = snapt(mixed).report(acks);
      try {
        stream.onNext(signed(report("snapt-1", 0).build(), rig.reportKey));
      } catch (IllegalStateException e) {
        assertThat(e).hasMessageContaining("call"); // already closed
      }
      assertThat(acks.ends.poll(45, TimeUnit.SECONDS).getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(said.lines(""))
          .singleElement()
          .asString()
          .startsWith("gRPC for SNAPTs: TLS with 127.0.0.1:")
          .contains("not signed by an authority that is trusted here")
          .hasLineCount(1);
    }
    assertThat(billing.posted).isEmpty();
    assertThat(rig.registry.get("viaduct_bridge_grpc_strangers").counter().count()).isPositive();
  }

  @Test
  void anAnnouncementShowsInTheDirectoryAndBringsTheTokenKeys() throws Exception {
    Answers<SnaptStatusAck> keys = new Answers<>();
    var stream = snapt(rig.authority.material("snapt-1")).announce(keys);
    stream.onNext(
        SnaptStatus.newBuilder()
            .setSnaptId("snapt-1")
            .setHost("192.0.2.1")
            .setControlPort(443)
            .setDataPort(443)
            .setSessions(7)
            .build());
    assertThat(keys.next().getTokenKeysList())
        .singleElement()
        .satisfies(key -> {
          assertThat(key.getPublicKey().size()).isEqualTo(32);
          assertThat(key.getKeyId()).hasSize(16);
        });
    var directoryNow = rig.bridge.directory();
    assertThat(directoryNow.all().getFirst().status().getSessions()).isEqualTo(7);
    assertThat(directoryNow.state(directoryNow.all().getFirst())).isEqualTo(State.UP);
    assertThat(directoryNow.state(directoryNow.all().getLast())).isEqualTo(State.UNKNOWN);
    rig.clock.advance(java.time.Duration.ofMinutes(1));
    assertThat(directoryNow.state(directoryNow.all().getFirst())).isEqualTo(State.STALE);
  }

  /// After a change of the signing key, tokens of the former key stay valid, and tokens of the next
  /// key are accepted.
  @Test
  void keysOfOtherTimesAreAnnouncedBesideTheOneThatSigns() throws Exception {
    String former = BridgeRig.base64(Ed25519.generate());
    rig.close();
    rig =
        new BridgeRig(
            Files.createDirectories(directory.resolve("changed")),
            rig.configuration.billing().port(),
            text -> text.replace("token: {", "token: {accepted-keys: [\"" + former + "\"], "));
    Answers<SnaptStatusAck> keys = new Answers<>();
    snapt(rig.authority.material("snapt-1"))
        .announce(keys)
        .onNext(
            SnaptStatus.newBuilder()
                .setSnaptId("snapt-1")
                .setHost("192.0.2.1")
                .setControlPort(443)
                .setDataPort(443)
                .build());
    var signing = Ed25519.readPair(rig.configuration.token().signingKey());
    assertThat(keys.next().getTokenKeysList())
        .extracting(key -> Base64.getEncoder().encodeToString(key.getPublicKey().toByteArray()))
        .containsExactly(BridgeRig.base64(signing), former);
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain text", "TLS 1.2", "silence"})
  void aConnectionWithoutMutualTls13IsCounted(String how) throws Exception {
    try (java.net.Socket socket = new java.net.Socket("127.0.0.1", rig.bridge.grpcPort())) {
      switch (how) {
        case "plain text" -> {
          socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
          socket.getInputStream().readAllBytes();
        }
        case "TLS 1.2" -> {
          var context = javax.net.ssl.SSLContext.getInstance("TLSv1.2");
          context.init(null, null, null);
          var tls =
              (javax.net.ssl.SSLSocket)
                  context.getSocketFactory().createSocket(socket, "localhost", 1, true);
          assertThatThrownBy(tls::startHandshake).hasMessageContaining("protocol_version");
        }
        default -> socket.shutdownOutput();
      }
    }
    await()
        .until(
            () -> rig.registry.get("viaduct_bridge_grpc_handshakes_failed").counter().count() == 1);
    assertThat(submit(signed(report("snapt-1", 1).build(), rig.reportKey)).getVerdict())
        .isEqualTo(ReportVerdict.POSTED);
    assertThat(rig.registry.get("viaduct_bridge_grpc_handshakes_failed").counter().count())
        .isEqualTo(1);
  }

  @Test
  void anAnnouncementInAnotherNameOrWithoutAnAddressIsRefused() throws Exception {
    for (SnaptStatus wrong :
        List.of(
            SnaptStatus.newBuilder()
                .setSnaptId("snapt-2")
                .setHost("192.0.2.1")
                .setControlPort(1)
                .setDataPort(1)
                .build(),
            SnaptStatus.newBuilder().setSnaptId("snapt-1").build())) {
      Answers<SnaptStatusAck> keys = new Answers<>();
      var stream = snapt(rig.authority.material("snapt-1")).announce(keys);
      stream.onNext(wrong);
      assertThat(keys.ends.poll(45, TimeUnit.SECONDS).getCode())
          .isEqualTo(Status.Code.INVALID_ARGUMENT);
    }
    assertThat(rig.bridge.directory().all()).allMatch(each -> each.status() == null);
  }

  @Test
  void billingWithTheWrongCertificateGetsNoReports() throws Exception {
    billing.close();
    TestAuthority other = new TestAuthority(directory.resolve("other"));
    billing = new BillingStub(other.material("danum-billing"), rig.configuration.billing().port());
    assertThat(submit(signed(report("snapt-1", 0).build(), rig.reportKey)).getVerdict())
        .isEqualTo(ReportVerdict.DEFERRED);
    assertThat(billing.posted).isEmpty();
  }

  @Test
  void aSigningKeyThatIsMissingStopsTheStart() throws Exception {
    Files.delete(rig.configuration.token().signingKey());
    assertThatThrownBy(() -> RunningBridge.start(rig.configuration, rig.clock, rig.readiness))
        .isInstanceOf(io.viaduct.service.configuration.ConfigurationException.class)
        .hasMessageContaining("token.key");
  }
}
