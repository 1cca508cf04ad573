package io.viaduct.bridge.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.viaduct.bridge.BridgeRig;
import io.viaduct.service.digest.Sha256;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SnaptStatus;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.SnaptsGrpc;
import io.viaduct.usage.v1.UsageReport;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.Signature;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// SNAPTs whose announcement the bridge refuses, over gRPC with mutual TLS: a cloned machine runs a
/// second one with the same id, or one is taken off the list.
@Timeout(120)
class DuplicateSnaptTest {
  @TempDir Path directory;
  private BridgeRig rig;

  @BeforeEach
  void start() throws Exception {
    rig = new BridgeRig(directory, 1, "");
  }

  @AfterEach
  void stop() throws Exception {
    rig.close();
  }

  /// A process with the certificate of snapt-1.
  private final class Process implements StreamObserver<SnaptStatusAck>, AutoCloseable {
    private final ManagedChannel channel;
    private final StreamObserver<SnaptStatus> statuses;
    private final SnaptStatus.Builder status;
    private volatile int accepted;
    private volatile boolean answers = true;
    private volatile @Nullable Status end;

    Process(String host, long epoch) throws Exception {
      this(rig.authority.material("snapt-1"), host, epoch);
    }

    Process(TlsMaterial tls, String host, long epoch) throws Exception {
      channel = rig.channel(tls);
      status =
          SnaptStatus.newBuilder()
              .setSnaptId("snapt-1")
              .setHost(host)
              .setControlPort(443)
              .setDataPort(443)
              .setEpoch(epoch);
      statuses = SnaptsGrpc.newStub(channel).announce(this);
      announce();
    }

    synchronized void announce() {
      statuses.onNext(status.build());
    }

    @Override
    public void onNext(SnaptStatusAck ack) {
      if (ack.getProbe() == 0) {
        accepted++;
      } else if (answers) {
        synchronized (this) {
          statuses.onNext(status.clone().setProbe(ack.getProbe()).build());
        }
      }
    }

    @Override
    public void onError(Throwable cause) {
      end = Status.fromThrowable(cause);
    }

    @Override
    public void onCompleted() {
      end = Status.OK;
    }

    ReportVerdict report() throws Exception {
      AtomicReference<ReportAck> answer = new AtomicReference<>();
      StreamObserver<SignedUsageReport> reports =
          SnaptsGrpc.newStub(channel)
              .report(
                  new StreamObserver<>() {
                    @Override
                    public void onNext(ReportAck ack) {
                      answer.set(ack);
                    }

                    @Override
                    public void onError(Throwable cause) {}

                    @Override
                    public void onCompleted() {}
                  });
      reports.onNext(signed());
      await().until(() -> answer.get() != null);
      reports.onCompleted();
      return answer.get().getVerdict();
    }

    @Override
    public void close() {
      channel.shutdownNow();
    }
  }

  private SignedUsageReport signed() throws Exception {
    UsageReport report =
        UsageReport.newBuilder()
            .setSnaptId("snapt-1")
            .setSessionId("4f0c")
            .setAccount("alice")
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

  private String shown() {
    return rig.bridge.directory().all().getFirst().status().getHost();
  }

  private double outcome(String outcome) {
    return rig.counter("viaduct_bridge_announcements", "outcome", outcome);
  }

  @Test
  void theSecondIsRefusedAndToldWhileTheFirstAnswersAndItsReportsAreDeferred() throws Exception {
    try (Process first = new Process("192.0.2.1", 3)) {
      await().until(() -> first.accepted == 1);
      try (Process second = new Process("192.0.2.2", 9)) {
        await().until(() -> second.end != null);
        assertThat(second.end.getCode()).isEqualTo(Status.Code.ALREADY_EXISTS);
        assertThat(second.end.getDescription()).contains("'snapt-1'", "127.0.0.1:", "stop one");
        assertThat(second.report()).isEqualTo(ReportVerdict.DEFERRED);
        assertThat(rig.counter("viaduct_bridge_reports_refused", "reason", "id_in_use"))
            .isEqualTo(1);
      }
      assertThat(shown()).isEqualTo("192.0.2.1");
      assertThat(outcome("id_in_use")).isEqualTo(1);
      assertThat(rig.counter("viaduct_bridge_snapt_duplicates", "snapt", "snapt-1")).isEqualTo(1);
      first.announce();
      await().until(() -> first.accepted >= 2);
    }
  }

  @Test
  void aSnaptThatIsTakenOutOfTheListIsRefusedWithItsNextStatus() throws Exception {
    try (Process process = new Process("192.0.2.1", 3)) {
      await().until(() -> process.accepted == 1);
      rig.bridge.snapts(
          rig.configuration.snapts().stream().filter(one -> !one.id().equals("snapt-1")).toList());
      process.announce();
      await().until(() -> process.end != null);
      assertThat(process.end.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
      assertThat(process.end.getDescription()).contains("NOT_CONFIGURED");
    }
    assertThat(outcome("not_configured")).isEqualTo(1);
    assertThat(rig.bridge.directory().configured("snapt-2")).isPresent();
  }

  @Test
  void aSnaptThatBillingHasRemovedIsToldThatItIsNotEnrolledAlsoWhenItCallsAgain() throws Exception {
    try (Process process = new Process("192.0.2.1", 3)) {
      await().until(() -> process.accepted == 1);
      rig.bridge.directory().enrol(List.of());
      process.announce();
      await().until(() -> process.end != null);
      assertThat(process.end.getCode()).isEqualTo(Status.Code.NOT_FOUND);
      assertThat(process.end.getDescription()).contains("'snapt-1' is not enrolled");
    }
    try (Process again = new Process("192.0.2.1", 3)) {
      await().until(() -> again.end != null);
      assertThat(again.end.getCode()).isEqualTo(Status.Code.NOT_FOUND);
    }
    rig.bridge
        .directory()
        .enrol(rig.configuration.snapts().stream().map(EnrolledSnapt::configured).toList());
    try (Process enrolled = new Process("192.0.2.1", 3)) {
      await().until(() -> enrolled.accepted == 1);
    }
  }

  @Test
  void aCertificateWithAnotherKeyThanBillingHasGivenIsRefusedAndTheRightOneIsAdmitted()
      throws Exception {
    TlsMaterial former = rig.authority.material("snapt-1");
    TlsMaterial given = rig.authority.material("snapt-1");
    rig.bridge
        .directory()
        .enrol(
            List.of(
                new EnrolledSnapt(
                    rig.configuration.snapts().getFirst(),
                    Surcharges.NONE,
                    Optional.of(
                        ByteBuffer.wrap(
                            Sha256.of(given.chain().getFirst().getPublicKey().getEncoded()))))));
    try (Process stolen = new Process(former, "192.0.2.1", 3)) {
      await().until(() -> stolen.end != null);
      assertThat(stolen.end.getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
      assertThat(stolen.end.getDescription()).contains("'snapt-1'", "this one is void");
    }
    try (Process right = new Process(given, "192.0.2.1", 3)) {
      await().until(() -> right.accepted == 1);
    }
    assertThat(rig.registry.get("viaduct_bridge_grpc_strangers").counter().count()).isEqualTo(1);
  }

  @Test
  void aProcessThatDiesIsFollowedAtOnce() throws Exception {
    Process first = new Process("192.0.2.1", 3);
    await().until(() -> first.accepted == 1);
    first.close();
    try (Process second = new Process("192.0.2.2", 4)) {
      await().until(() -> second.accepted == 1);
      assertThat(shown()).isEqualTo("192.0.2.2");
    }
    assertThat(outcome("id_in_use")).isZero();
  }

  @Test
  void aSilentProcessLosesItsIdToAHigherEpoch() throws Exception {
    try (Process first = new Process("192.0.2.1", 3)) {
      await().until(() -> first.accepted == 1);
      first.answers = false;
      try (Process second = new Process("192.0.2.2", 4)) {
        await()
            .until(() -> {
              rig.clock.advance(Duration.ofSeconds(1));
              return second.accepted == 1;
            });
        await().until(() -> first.end != null);
        assertThat(first.end.getDescription()).contains("taken over");
        assertThat(shown()).isEqualTo("192.0.2.2");
        assertThat(outcome("superseded")).isEqualTo(1);
      }
    }
  }
}
