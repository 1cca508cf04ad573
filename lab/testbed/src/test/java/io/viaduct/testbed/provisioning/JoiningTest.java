package io.viaduct.testbed.provisioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.service.command.ExitCode;
import io.viaduct.service.tls.RenewalRequest;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.setup.SetupCommand;
import io.viaduct.snapt.SnaptCommand;
import io.viaduct.usage.v1.JoinAnswer;
import io.viaduct.usage.v1.RenewRequest;
import io.viaduct.usage.v1.SnaptStatus;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.SnaptsGrpc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/// A SNAPT joins a running operator by a one-time code: its keys are made on its machine, the
/// operator signs its request, and the bridge admits it. The programs are the real ones; only the
/// SNAPT carries nothing.
@Timeout(180)
class JoiningTest {
  private static final String SNAPT = "snapt-9";

  @TempDir Path directory;

  @Test
  void aSnaptJoinsByACodeAndTheBridgeAdmitsItWithTheCertificateThatTheOperatorHasSigned()
      throws Exception {
    Path operators = directory.resolve("installation");
    setup("--domain", "ims.test", "--host", "198.51.100.7", "--out", operators.toString());
    TestAuthority authority = new TestAuthority(directory.resolve("services"));
    Files.writeString(
        authority.trust(),
        Files.readString(operators.resolve("authority/ca.pem")),
        StandardOpenOption.APPEND);
    try (SideBySide services = new SideBySide(directory, authority, "", "")) {
      Path own = requested(authority, services.snaptsPort());
      String code =
          services
              .send("POST", "/snapts/" + SNAPT + "/invitation", "{\"owner\":\"acme\"}")
              .get("code")
              .asString();
      assertThat(enrol(own, "a-code-that-nobody-made")).isEqualTo(ExitCode.CONFIGURATION);
      assertThat(enrol(own, code)).as("nobody has signed").isEqualTo(ExitCode.UNAVAILABLE);
      assertThat(own.resolve("snapt-9.pem")).doesNotExist();
      sign(services, operators);
      assertThat(enrol(own, code)).isEqualTo(ExitCode.OK);
      assertThat(Files.getPosixFilePermissions(own.resolve("snapt-9.key")))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
      isAdmitted(services, own);
      isRenewed(services, operators, own);
    }
  }

  private static void setup(String... arguments) {
    assertThat(SetupCommand.run(InstantSource.system(), Path.of("/opt/viaduct"), arguments))
        .isEqualTo(ExitCode.OK);
  }

  /// Returns the SNAPT's directory, with its keys, its request and the operator's authority.
  private Path requested(TestAuthority authority, int bridgePort) throws Exception {
    Path owners = directory.resolve("owner");
    setup(
        "request",
        SNAPT,
        "--host",
        "localhost",
        "--bridge-host",
        "localhost",
        "--domain",
        "ims.test",
        "--out",
        owners.toString());
    Path own = owners.resolve(SNAPT);
    Files.copy(authority.trust(), own.resolve("ca.pem"));
    Path file = own.resolve("snapt-9.yml");
    Files.writeString(
        file,
        Files.readString(file)
            .replace("reporting: {", "reporting: {bridge-port: %d, ".formatted(bridgePort)));
    return own;
  }

  private static int enrol(Path own, String code) {
    return SnaptCommand.run(
        "enrol", "--config", own.resolve("snapt-9.yml").toString(), "--code", code, "--wait", "1s");
  }

  private void sign(SideBySide services, Path operators) throws Exception {
    String invitation = "/snapts/" + SNAPT + "/invitation";
    Path request =
        Files.writeString(
            directory.resolve("snapt-9.csr"),
            services.send("GET", invitation, "").get("request").asString());
    setup("sign", request.toString(), SNAPT, "--host", "localhost", "--out", operators.toString());
    services.send(
        "PUT",
        invitation + "/certificate",
        JsonMapper.shared()
            .writeValueAsString(
                Map.of(
                    "certificates",
                    Files.readString(operators.resolve("signed/snapt-9/snapt-9.pem")))));
  }

  private static ManagedChannel channel(SideBySide services, TlsMaterial tls) throws Exception {
    return NettyChannelBuilder.forAddress("localhost", services.snaptsPort())
        .sslContext(GrpcSslContexts.configure(tls.clientBuilder(), SslProvider.JDK).build())
        .build();
  }

  private static TlsMaterial tls(Path own) {
    return TlsMaterial.load(
        new TlsSettings(
            own.resolve("snapt-9.pem"), own.resolve("snapt-9.key"), own.resolve("ca.pem")));
  }

  /// The request is the one that a running SNAPT makes.
  private void isRenewed(SideBySide services, Path operators, Path own) throws Exception {
    TlsMaterial present = tls(own);
    RenewRequest request =
        RenewRequest.newBuilder()
            .setCertificateRequest(RenewalRequest.of(present.chain().getFirst(), present.key()))
            .build();
    ManagedChannel channel = channel(services, present);
    try {
      var snapts = SnaptsGrpc.newBlockingStub(channel);
      assertThat(snapts.renew(request).getVerdict()).isEqualTo(JoinAnswer.Verdict.WAITING);
      sign(services, operators);
      JoinAnswer renewed = snapts.renew(request);
      assertThat(renewed.getVerdict()).isEqualTo(JoinAnswer.Verdict.CERTIFIED);
      Files.writeString(own.resolve("snapt-9.pem"), renewed.getCertificates());
      assertThat(tls(own).key()).as("the key fits").isEqualTo(present.key());
    } finally {
      channel.shutdownNow();
    }
  }

  private static void isAdmitted(SideBySide services, Path own) throws Exception {
    await()
        .atMost(Duration.ofSeconds(45))
        .until(() -> services.snapts().configured(SNAPT).isPresent());
    ManagedChannel channel = channel(services, tls(own));
    CountDownLatch accepted = new CountDownLatch(1);
    try {
      SnaptsGrpc.newStub(channel)
          .announce(
              new StreamObserver<SnaptStatusAck>() {
                @Override
                public void onNext(SnaptStatusAck answer) {
                  accepted.countDown();
                }

                @Override
                public void onError(Throwable cause) {}

                @Override
                public void onCompleted() {}
              })
          .onNext(
              SnaptStatus.newBuilder()
                  .setSnaptId(SNAPT)
                  .setHost("localhost")
                  .setControlPort(443)
                  .setDataPort(443)
                  .setEpoch(1)
                  .build());
      await().atMost(Duration.ofSeconds(45)).until(() -> accepted.getCount() == 0);
    } finally {
      channel.shutdownNow();
    }
  }
}
