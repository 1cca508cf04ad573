package io.viaduct.bridge;

import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.sip.useragent.UserAgentSettings;
import io.viaduct.usage.ProvenReport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Base64;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.function.UnaryOperator;

/// A complete bridge on real sockets, with an operator's files as in production, and a user agent.
public final class BridgeRig implements AutoCloseable {
  static {
    // On a shared machine with two cores, work of 0.2 s has taken 10 s.
    org.awaitility.Awaitility.setDefaultTimeout(java.time.Duration.ofSeconds(45));
  }

  /// Port of billing for a rig without mediation: billing then serves only users.
  public static final int NO_BILLING = 1;

  public final TestClock clock = new TestClock();
  public final Readiness readiness = new Readiness();
  public final TestAuthority authority;
  public final KeyPair reportKey = Ed25519.generate();
  public final Path file;
  public ProvisioningStub users;
  private final TlsMaterial usersTls;
  private final int usersPort;
  public final BridgeConfiguration configuration;
  public RunningBridge bridge;

  /// Meters of the running bridge.
  public MeterRegistry registry;

  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  public BridgeRig(Path directory, int billingPort, String more) throws Exception {
    this(directory, billingPort, text -> text + more);
  }

  /// @param edit changes the operator's file
  public BridgeRig(Path directory, int billingPort, UnaryOperator<String> edit) throws Exception {
    authority = new TestAuthority(directory.resolve("operator"));
    TlsSettings tls = authority.issue("ims-bridge");
    Path key = directory.resolve("token.key");
    Ed25519.writePrivate(key, Ed25519.generate().getPrivate());
    usersTls = authority.material("danum-billing");
    users = new ProvisioningStub(usersTls, 0);
    usersPort = users.port();
    file = directory.resolve("bridge.yml");
    String text =
        """
        domain: ims.test
        sip: {host: 127.0.0.1, port: 0, expires-min: 2s, contacts: 2}
        grpc: {host: 127.0.0.1, port: 0}
        rest: {port: 0, token-file: %s}
        billing: {host: 127.0.0.1, port: %d, deadline: 2s}
        tls: {certificate: %s, private-key: %s, trust: %s}
        token: {signing-key: %s, lifetime: 60s}
        snapts:
          - {id: snapt-1, report-key: "%s", owner: acme, region: core}
          - {id: snapt-2, report-key: "%s", owner: beacon, region: core}
        state: %s
        operations: {port: 0}
        reporting: {interval: 5s}
        """
            .formatted(
                TestAuthority.secret(directory.resolve("rest.token"), "rest-token"),
                billingPort == NO_BILLING ? usersPort : billingPort,
                tls.certificate(),
                tls.privateKey(),
                tls.trust(),
                key,
                base64(reportKey),
                base64(Ed25519.generate()),
                directory.resolve("state"));
    Files.writeString(file, edit.apply(text));
    configuration = ConfigurationFile.load(file, BridgeConfiguration.class);
    putUsers();
    bridge = RunningBridge.start(configuration, clock, readiness);
    registry = bridge.registry();
    if (billingPort == NO_BILLING) {
      org.awaitility.Awaitility.await().until(() -> bridge.subscribers().isLoaded());
    }
  }

  /// Starts the bridge again, after a test has closed it.
  public void start(BridgeConfiguration again) throws IOException {
    bridge = RunningBridge.start(again, clock, readiness);
    registry = bridge.registry();
  }

  public void restartUsers() throws Exception {
    users = new ProvisioningStub(usersTls, usersPort);
    putUsers();
  }

  private void putUsers() {
    for (String user : List.of("alice", "bob", "carol")) {
      users.put(ProvisioningStub.user(user, configuration.domain(), user + "-secret"));
    }
  }

  /// Opens a gRPC channel to the bridge with a certificate of the rig's authority; the caller shuts
  /// it down.
  public ManagedChannel channel(TlsMaterial tls) throws Exception {
    return NettyChannelBuilder.forAddress("127.0.0.1", bridge.grpcPort())
        .sslContext(GrpcSslContexts.configure(tls.clientBuilder(), SslProvider.JDK).build())
        .build();
  }

  /// Waits until the bridge has a stream to billing. It may have made its first attempt before
  /// billing listened. It tries again after 1 s of its clock, and defers what arrives before.
  public void awaitBilling() {
    await()
        .until(() -> {
          clock.advance(Duration.ofSeconds(1));
          return registry.get("viaduct_bridge_billing_reachable").gauge().value() == 1;
        });
  }

  /// Makes reports and tokens of a device, signed with the key that the bridge signs tokens with.
  public ProvenReport proven() throws Exception {
    KeyPair signing = Ed25519.readPair(configuration.token().signingKey());
    byte[] hash =
        MessageDigest.getInstance("SHA-256")
            .digest(Ed25519.raw((EdECPublicKey) signing.getPublic()));
    return new ProvenReport(
        signing, HexFormat.of().formatHex(Arrays.copyOf(hash, 8)), ProvenReport.keyPair());
  }

  public static String base64(KeyPair pair) {
    return Base64.getEncoder().encodeToString(Ed25519.raw((EdECPublicKey) pair.getPublic()));
  }

  public double counter(String name, String tag, String value) {
    var search = registry.find(name).tag(tag, value);
    var counter = search.counter();
    var function = search.functionCounter();
    if (counter == null && function == null) {
      throw new AssertionError("no counter " + name + " with " + tag + "=" + value);
    }
    return counter != null ? counter.count() : function.count();
  }

  public UserAgentSettings settings(String user, String password, Transport transport) {
    return UserAgentSettings.of(
        "ims.test",
        user,
        password,
        new HostPort("127.0.0.1", bridge.sipPort()),
        transport,
        SipEndpointSettings.client(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
  }

  public UserAgent userAgent(String user, Transport transport, UserAgentListener listener)
      throws Exception {
    return userAgent(settings(user, user + "-secret", transport), listener);
  }

  public UserAgent userAgent(UserAgentSettings settings, UserAgentListener listener)
      throws Exception {
    UserAgent agent = UserAgent.start(settings, clock, listener);
    open.push(agent);
    return agent;
  }

  @Override
  public void close() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
    bridge.close();
    users.close();
  }
}
