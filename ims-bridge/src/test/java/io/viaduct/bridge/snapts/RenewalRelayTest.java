package io.viaduct.bridge.snapts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.viaduct.bridge.BillingStub;
import io.viaduct.bridge.BridgeRig;
import io.viaduct.bridge.ReservedPort;
import io.viaduct.usage.v1.EnrolmentGrpc;
import io.viaduct.usage.v1.JoinAnswer;
import io.viaduct.usage.v1.RenewRequest;
import io.viaduct.usage.v1.SnaptsGrpc;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A SNAPT asks for its next certificate through a complete bridge: mutual TLS on both sides.
@Timeout(120)
class RenewalRelayTest {
  @TempDir Path directory;
  private final List<RenewRequest> asked = new CopyOnWriteArrayList<>();
  private BridgeRig rig;
  private BillingStub billing;
  private ManagedChannel channel;
  private ReservedPort billingPort;

  private final class Enrolment extends EnrolmentGrpc.EnrolmentImplBase {
    @Override
    public void renew(RenewRequest request, StreamObserver<JoinAnswer> answer) {
      asked.add(request);
      answer.onNext(
          JoinAnswer.newBuilder()
              .setVerdict(JoinAnswer.Verdict.CERTIFIED)
              .setCertificates("for " + request.getSnaptId())
              .build());
      answer.onCompleted();
    }
  }

  @BeforeEach
  void start() throws Exception {
    billingPort = new ReservedPort();
    rig = new BridgeRig(directory, billingPort.number(), "");
    billing =
        new BillingStub(
            rig.authority.material("danum-billing"), billingPort.number(), new Enrolment());
    rig.awaitBilling();
    channel = rig.channel(rig.authority.material("snapt-1"));
  }

  @AfterEach
  void stop() throws Exception {
    channel.shutdownNow();
    billing.close();
    rig.close();
    billingPort.close();
  }

  private static JoinAnswer renew(ManagedChannel by, String name) {
    return SnaptsGrpc.newBlockingStub(by)
        .renew(
            RenewRequest.newBuilder().setSnaptId(name).setCertificateRequest("a request").build());
  }

  @Test
  void theNameOfTheCertificateIsAskedForWhateverTheRequestSays() {
    assertThat(renew(channel, "snapt-2").getCertificates()).isEqualTo("for snapt-1");
    assertThat(asked)
        .singleElement()
        .isEqualTo(
            RenewRequest.newBuilder()
                .setSnaptId("snapt-1")
                .setCertificateRequest("a request")
                .build());
    assertThat(rig.counter("viaduct_bridge_renewals", "outcome", "certified")).isEqualTo(1);
  }

  @Test
  void aCallerThatIsNoSnaptAndOneThatAsksTooOftenAreRefused() throws Exception {
    ManagedChannel stranger = rig.channel(rig.authority.material("nobody"));
    try {
      assertThatThrownBy(() -> renew(stranger, "snapt-1"))
          .isInstanceOfSatisfying(
              StatusRuntimeException.class,
              e -> assertThat(e.getStatus().getCode()).isNotEqualTo(Status.Code.OK));
    } finally {
      stranger.shutdownNow();
    }
    assertThat(asked).isEmpty();
    for (int i = 0; i < 30; i++) {
      assertThat(renew(channel, "").getCertificates()).isEqualTo("for snapt-1");
    }
    assertThatThrownBy(() -> renew(channel, ""))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED));
    assertThat(rig.counter("viaduct_bridge_renewals", "outcome", "too_often")).isEqualTo(1);
  }
}
