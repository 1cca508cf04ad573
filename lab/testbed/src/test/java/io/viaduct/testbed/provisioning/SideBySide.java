package io.viaduct.testbed.provisioning;

import io.viaduct.billing.BillingApplication;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.bridge.BridgeApplication;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.sip.SipEntrance;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.SipEndpointSettings;
import io.viaduct.sip.Transport;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.sip.useragent.UserAgentSettings;
import io.viaduct.spring.SpringService;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import org.springframework.context.ApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A real billing with its own PostgreSQL and a real bridge that asks it, on ports that the system
/// chose, each started from a configuration file.
final class SideBySide implements AutoCloseable {
  static final String DOMAIN = "ims.test";
  private static final String OPERATOR_PASSWORD = "operator-secret";

  private final SpringService billing;
  private final ApplicationContext billingParts;
  private final SpringService bridge;
  private final ApplicationContext bridgeParts;
  private final HttpClient http = HttpClient.newHttpClient();
  private String token = "";

  SideBySide(Path directory) throws Exception {
    TestAuthority authority = new TestAuthority(directory.resolve("operator"));
    billing = billing(directory, authority.issue("danum-billing"));
    try {
      billingParts = billing.start();
      bridge =
          bridge(
              directory, authority.issue("ims-bridge"), BillingApplication.grpcPort(billingParts));
      bridgeParts = bridge.start();
    } catch (Exception e) {
      billing.close();
      throw e;
    }
    token =
        send(
                "POST",
                "/sessions",
                "{\"user\":\"operator\",\"password\":\"" + OPERATOR_PASSWORD + "\"}")
            .get("token")
            .asString();
  }

  private static String tls(TlsSettings tls) {
    return "tls: {certificate: %s, private-key: %s, trust: %s}"
        .formatted(tls.certificate(), tls.privateKey(), tls.trust());
  }

  private static SpringService billing(Path directory, TlsSettings tls) throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("billing.yml"),
            """
            rest: {port: 0}
            grpc: {port: 0}
            operations: {port: 0}
            %s
            database: {data-directory: %s, binaries-directory: %s}
            operator: {password-file: %s}
            sip-domain: %s
            credentials: {key-file: credential.key}
            """
                .formatted(
                    tls(tls),
                    directory.resolve("billing"),
                    Path.of("target", "postgresql").toAbsolutePath(),
                    TestAuthority.secret(directory.resolve("operator.password"), OPERATOR_PASSWORD),
                    DOMAIN));
    return BillingApplication.of(
        ConfigurationFile.load(file, BillingConfiguration.class), InstantSource.system());
  }

  private static SpringService bridge(Path directory, TlsSettings tls, int billingPort)
      throws Exception {
    Ed25519.writePrivate(directory.resolve("token.key"), Ed25519.generate().getPrivate());
    Path file =
        Files.writeString(
            directory.resolve("bridge.yml"),
            """
            domain: %s
            sip: {host: 127.0.0.1, port: 0}
            grpc: {host: 127.0.0.1, port: 0}
            rest: {port: 0, token-file: %s}
            billing: {host: 127.0.0.1, port: %d}
            %s
            token: {signing-key: token.key}
            state: %s
            operations: {port: 0}
            """
                .formatted(
                    DOMAIN,
                    TestAuthority.secret(directory.resolve("rest.token"), "rest-token"),
                    billingPort,
                    tls(tls),
                    directory.resolve("bridge")));
    return BridgeApplication.of(ConfigurationFile.load(file, BridgeConfiguration.class));
  }

  /// Returns the users that the bridge knows.
  Subscribers subscribers() {
    return bridgeParts.getBean(Subscribers.class);
  }

  /// Sends a request to billing as the operator.
  ///
  /// @throws AssertionError with billing's words if it refuses
  JsonNode send(String method, String path, String body) throws Exception {
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(
                    URI.create(
                        "http://127.0.0.1:%s/api/v1%s"
                            .formatted(
                                billingParts.getEnvironment().getProperty("local.server.port"),
                                path)))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + token)
                .build(),
            HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() / 100 != 2) {
      throw new AssertionError(method + " " + path + ": " + answer.body());
    }
    return JsonMapper.shared().readTree(answer.body().isEmpty() ? "{}" : answer.body());
  }

  /// Starts a device's user agent, which does nothing until it is told.
  UserAgent userAgent(String user, String password, UserAgentListener listener) throws Exception {
    return UserAgent.start(
        UserAgentSettings.of(
            DOMAIN,
            user,
            password,
            new HostPort("127.0.0.1", bridgeParts.getBean(SipEntrance.class).port()),
            Transport.UDP,
            SipEndpointSettings.client(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))),
        InstantSource.system(),
        listener);
  }

  @Override
  public void close() {
    http.close();
    bridge.close();
    billing.close();
  }
}
