package io.viaduct.testbed.provisioning;

import io.viaduct.bridge.BridgeApplication;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.registrar.LocationService;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.sip.SipEntrance;
import io.viaduct.bridge.snapts.SnaptsServer;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.sip.useragent.UserAgentSettings;
import io.viaduct.spring.SpringService;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import org.springframework.context.ApplicationContext;
import tools.jackson.databind.JsonNode;

/// A real billing with its own PostgreSQL and a real bridge that asks it, on ports that the system
/// chose, each started from a configuration file.
final class SideBySide implements AutoCloseable {
  static final String DOMAIN = "ims.test";

  private final RealBilling billing;
  private final SpringService bridge;
  private final ApplicationContext bridgeParts;

  SideBySide(Path directory) throws Exception {
    this(directory, new TestAuthority(directory.resolve("operator")), "", "");
  }

  /// @param ofBilling further keys of billing's configuration
  /// @param ofBridge further keys of the bridge's configuration
  SideBySide(Path directory, TestAuthority authority, String ofBilling, String ofBridge)
      throws Exception {
    billing = new RealBilling(directory, authority, DOMAIN, ofBilling);
    try {
      bridge = bridge(directory, authority.issue("ims-bridge"), billing.grpcPort(), ofBridge);
      bridgeParts = bridge.start();
    } catch (Exception e) {
      billing.close();
      throw e;
    }
  }

  private static String tls(TlsSettings tls) {
    return "tls: {certificate: %s, private-key: %s, trust: %s}"
        .formatted(tls.certificate(), tls.privateKey(), tls.trust());
  }

  private static SpringService bridge(Path directory, TlsSettings tls, int billingPort, String more)
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
            %s
            """
                .formatted(
                    DOMAIN,
                    TestAuthority.secret(directory.resolve("rest.token"), "rest-token"),
                    billingPort,
                    tls(tls),
                    directory.resolve("bridge"),
                    more));
    return BridgeApplication.of(ConfigurationFile.load(file, BridgeConfiguration.class));
  }

  /// Returns the port for SNAPTs.
  int snaptsPort() {
    return bridgeParts.getBean(SnaptsServer.class).port();
  }

  /// Returns the SNAPTs that the bridge knows.
  SnaptDirectory snapts() {
    return bridgeParts.getBean(SnaptDirectory.class);
  }

  /// Returns the users that the bridge knows.
  Subscribers subscribers() {
    return bridgeParts.getBean(Subscribers.class);
  }

  /// Returns the port of the bridge for SIP.
  int sipPort() {
    return bridgeParts.getBean(SipEntrance.class).port();
  }

  /// Returns the registrations that the bridge knows.
  LocationService locations() {
    return bridgeParts.getBean(LocationService.class);
  }

  /// Adds money to an account.
  void topUp(String account, long microdenarii) throws Exception {
    billing.topUp(account, microdenarii);
  }

  /// Sends a request to billing as the operator.
  ///
  /// @throws AssertionError with billing's words if it refuses
  JsonNode send(String method, String path, String body) throws Exception {
    return billing.send(method, path, body);
  }

  /// Changes a resource of billing in the version that it has now.
  void change(String path, String body) throws Exception {
    billing.change(path, body);
  }

  /// Deletes a resource of billing in the version that it has now.
  void delete(String path) throws Exception {
    billing.delete(path);
  }

  /// Deletes a part of a resource of billing in the version that the resource has now.
  void delete(String path, String resource) throws Exception {
    billing.delete(path, resource);
  }

  /// Starts a device's user agent, which does nothing until it is told.
  UserAgent userAgent(String user, String password, UserAgentListener listener) throws Exception {
    return UserAgent.start(
        UserAgentSettings.of(
            DOMAIN,
            user,
            password,
            new HostPort("127.0.0.1", sipPort()),
            Transport.UDP,
            SipEndpointSettings.client(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))),
        InstantSource.system(),
        listener);
  }

  @Override
  public void close() {
    bridge.close();
    billing.close();
  }
}
