package io.viaduct.bridge.snapts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.bridge.BridgeRig;
import io.viaduct.service.tls.CertificateCheck;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.usage.v1.JoinAnswer;
import io.viaduct.usage.v1.JoinRequest;
import io.viaduct.usage.v1.JoiningGrpc;
import io.viaduct.usage.v1.SnaptStatus;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.SnaptsGrpc;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Callers without a certificate at the port for SNAPTs. Here billing is of the version before; the
/// whole way is in the testbed.
@Timeout(120)
class JoiningTest {
  @TempDir Path directory;
  private BridgeRig rig;
  private ManagedChannel stranger;

  @BeforeEach
  void start() throws Exception {
    rig = new BridgeRig(directory, BridgeRig.NO_BILLING, "");
    stranger =
        NettyChannelBuilder.forAddress("localhost", rig.bridge.grpcPort())
            .sslContext(
                GrpcSslContexts.configure(
                        TlsMaterial.anonymousClientBuilder(
                            CertificateCheck.authorities(
                                "trust", rig.authority.trust(), Instant.now())),
                        SslProvider.JDK)
                    .build())
            .build();
  }

  @AfterEach
  void stop() throws Exception {
    stranger.shutdownNow();
    rig.close();
  }

  private JoinAnswer join(JoinRequest request) {
    return JoiningGrpc.newBlockingStub(stranger).join(request);
  }

  private void refused(JoinRequest request, Status.Code code) {
    assertThatThrownBy(() -> join(request))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class, e -> assertThat(e.getStatus().getCode()).isEqualTo(code));
  }

  private double outcome(String outcome) {
    return rig.counter("viaduct_bridge_joins", "outcome", outcome);
  }

  @Test
  void whileBillingCannotBeAskedAJoiningSnaptIsToldToAskAgain() {
    refused(JoinRequest.getDefaultInstance(), Status.Code.UNAVAILABLE);
    assertThat(outcome("billing_away")).isEqualTo(1);
  }

  @Test
  void aSourceThatAsksTooOftenOrSendsTooMuchIsRefusedAndBillingIsNotAsked() {
    JoinRequest large = JoinRequest.newBuilder().setCertificateRequest("x".repeat(40_000)).build();
    for (int i = 0; i < 30; i++) {
      refused(large, Status.Code.INVALID_ARGUMENT);
    }
    refused(JoinRequest.getDefaultInstance(), Status.Code.RESOURCE_EXHAUSTED);
    assertThat(outcome("too_long")).isEqualTo(30);
    assertThat(outcome("too_often")).isEqualTo(1);
    assertThat(outcome("billing_away")).isZero();
  }

  @Test
  void aCallerWithoutCertificateMayDoNothingElse() throws Exception {
    CompletableFuture<Status> end = new CompletableFuture<>();
    SnaptsGrpc.newStub(stranger)
        .announce(
            new StreamObserver<SnaptStatusAck>() {
              @Override
              public void onNext(SnaptStatusAck answer) {
                end.complete(Status.OK);
              }

              @Override
              public void onError(Throwable cause) {
                end.complete(Status.fromThrowable(cause));
              }

              @Override
              public void onCompleted() {
                end.complete(Status.OK);
              }
            })
        .onNext(SnaptStatus.newBuilder().setSnaptId("snapt-1").build());
    assertThat(end.get(45, TimeUnit.SECONDS).getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
  }
}
