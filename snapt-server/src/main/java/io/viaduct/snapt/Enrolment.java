package io.viaduct.snapt;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.tls.CertificateCheck;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.HandshakeFailure;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.usage.v1.JoinAnswer;
import io.viaduct.usage.v1.JoinRequest;
import io.viaduct.usage.v1.JoiningGrpc;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;

/// Enrols a SNAPT by a one-time code (ADR 0072): shows the code, the report key and the request for
/// a certificate to the bridge, and waits for the certificate. The keys are on this machine already
/// ('viaduct setup request').
final class Enrolment {
  private static final Duration ASK_AGAIN = Duration.ofSeconds(5);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(20);

  private final SnaptConfiguration configuration;
  private final InstantSource clock;
  private final Consumer<String> out;

  /// @param out takes lines for the user
  Enrolment(SnaptConfiguration configuration, InstantSource clock, Consumer<String> out) {
    this.configuration = configuration;
    this.clock = clock;
    this.out = out;
  }

  /// Waits for the certificate, and stores it.
  ///
  /// @param code of the operator
  /// @param patience longest wait for the operator
  /// @throws ConfigurationException if a file is missing, or the code or the certificate is refused
  /// @throws IOException if the bridge does not answer, or the operator has not signed in time
  void run(String code, Duration patience) throws IOException, InterruptedException {
    TlsSettings tls = configuration.tls();
    if (Files.exists(tls.certificate())) {
      throw new ConfigurationException(
          "tls.certificate: %s is there already: this SNAPT needs no code"
              .formatted(tls.certificate()));
    }
    JoinRequest request =
        JoinRequest.newBuilder()
            .setSnaptId(configuration.id())
            .setCode(code)
            .setReportKey(ByteString.copyFrom(reportKey()))
            .setCertificateRequest(requestText(tls.privateKey()))
            .build();
    List<X509Certificate> authorities =
        CertificateCheck.authorities("tls.trust", tls.trust(), clock.instant());
    ManagedChannel channel = channel(authorities);
    try {
      store(await(channel, request, clock.millis() + patience.toMillis()));
    } finally {
      channel.shutdownNow();
    }
  }

  private byte[] reportKey() {
    return Ed25519.raw(
        (EdECPublicKey) Ed25519.readPair(configuration.reporting().reportKey()).getPublic());
  }

  private static String requestText(Path privateKey) throws IOException {
    Path file =
        privateKey.resolveSibling(
            privateKey.getFileName().toString().replaceFirst("\\.[^.]*$", "") + ".csr");
    if (!Files.isRegularFile(file)) {
      throw new ConfigurationException(
          file + ": is missing: 'viaduct setup request' makes it with the key");
    }
    return Files.readString(file, StandardCharsets.US_ASCII);
  }

  private ManagedChannel channel(List<X509Certificate> authorities) throws SSLException {
    SnaptConfiguration.Reporting reporting = configuration.reporting();
    return NettyChannelBuilder.forAddress(reporting.bridgeHost(), reporting.bridgePort())
        .sslContext(
            GrpcSslContexts.configure(
                    TlsMaterial.anonymousClientBuilder(authorities), SslProvider.JDK)
                .build())
        .build();
  }

  private String await(ManagedChannel channel, JoinRequest request, long untilMs)
      throws IOException, InterruptedException {
    boolean isTold = false;
    while (true) {
      JoinAnswer answer = ask(channel, request);
      switch (answer.getVerdict()) {
        case CERTIFIED -> {
          return answer.getCertificates();
        }
        case WAITING -> {
          if (!isTold) {
            out.accept(
                "the request is with your operator, who signs it: waiting for the certificate");
            isTold = true;
          }
        }
        case CODE_REFUSED, RENEWAL_REFUSED, VERDICT_UNSPECIFIED, UNRECOGNIZED ->
            throw new ConfigurationException(
                "the code is refused: it is over, used with other keys, or not for '%s': ask your"
                        .formatted(configuration.id())
                    + " operator for a new one");
      }
      if (clock.millis() + ASK_AGAIN.toMillis() > untilMs) {
        throw new IOException(
            "the certificate is not there yet: run the same command again later, within 7 days");
      }
      TimeUnit.MILLISECONDS.sleep(ASK_AGAIN.toMillis());
    }
  }

  private JoinAnswer ask(ManagedChannel channel, JoinRequest request) throws IOException {
    try {
      return JoiningGrpc.newBlockingStub(channel)
          .withDeadlineAfter(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS)
          .join(request);
    } catch (StatusRuntimeException e) {
      Status status = e.getStatus();
      throw new IOException(
          "the bridge at %s: %s"
              .formatted(
                  channel.authority(),
                  status.getCode() == Status.Code.UNIMPLEMENTED
                      ? "it is of a version without codes: sign the request by hand"
                      : HandshakeFailure.reason(e)),
          e);
    }
  }

  private void store(String certificates) throws IOException {
    var unused =
        CertificateFile.store(configuration, certificates, clock.instant(), clock.instant());
    out.accept("enrolled: the certificate is in " + configuration.tls().certificate());
  }
}
