package io.viaduct.testbed.provisioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.bridge.core.KamailioCore;
import io.viaduct.bridge.registrar.Binding;
import io.viaduct.diameter.message.AvpGroup;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.peer.DiameterNode;
import io.viaduct.diameter.peer.Nodes;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.sip.useragent.SessionGrant;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.sip.useragent.UserAgentSettings;
import io.viaduct.snapt.TestOperator;
import io.viaduct.snapt.TestSnapt;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// A user of an IMS core, from the REGISTER at its S-CSCF to the charge: Kamailio with the
/// configuration of docker/kamailio, a real bridge, a SNAPT's real control and data path, and a
/// real billing with its PostgreSQL, which sends accounting records to a charging data function.
/// The user agent knows Kamailio only. Skipped where Kamailio is missing.
@Timeout(300)
class CoreUserTest {
  private static final String USER = "alice";
  private static final String CDF = "cdf.ims.test";
  private static final long TOP_UP = 50_000_000; // micro-denarii
  private static final int PACKETS = 200;

  @TempDir Path directory;
  private final String network = KamailioCore.network();
  private final KeyPair key = Ed25519.generate();
  private final BlockingQueue<SessionGrant> grants = new LinkedBlockingQueue<>();
  private final List<DiameterMessage> records = new CopyOnWriteArrayList<>();

  private static ConditionFactory patiently() {
    return await().atMost(Duration.ofSeconds(45));
  }

  private static byte[] raw(KeyPair pair) {
    return Ed25519.raw((EdECPublicKey) pair.getPublic());
  }

  private CompletableFuture<DiameterMessage> record(DiameterMessage request) {
    records.add(request);
    return CompletableFuture.completedFuture(Nodes.answer(request, CDF, 2001));
  }

  private String ofBilling(TestSnapt snapt, DiameterNode cdf) {
    return """
    snapts: [{id: snapt-1, report-key: "%s", owner: acme, region: core}]
    diameter:
      identity: billing.ims.test
      realm: ims.test
      port: 0
      peers: [{host: %s, sources: [], address: 127.0.0.1, port: %d}]
      rf: {directory: %s, realm: ims.test}
    """
        .formatted(
            Base64.getEncoder().encodeToString(raw(snapt.reportKey)),
            CDF,
            cdf.port(),
            directory.resolve("records"));
  }

  @Test
  void aUserWhomKamailioRegistersPaysForTrafficUnderTheCoresIcid() throws Exception {
    KamailioCore.assumeInstalled();
    TestOperator devices = new TestOperator(directory.resolve("devices"));
    TestAuthority operator = new TestAuthority(directory.resolve("operator"));
    try (TestSnapt snapt = new TestSnapt(devices, directory, 1, Duration.ofSeconds(5));
        DiameterNode cdf = Nodes.server(CDF, "billing.ims.test", this::record);
        SideBySide services =
            new SideBySide(
                directory,
                operator,
                ofBilling(snapt, cdf),
                "core: {peers: [{address: %s2, port: 5060, transport: udp}]}".formatted(network));
        KamailioCore core =
            KamailioCore.start(
                directory, network, SideBySide.DOMAIN, "sip:127.0.0.1:" + services.sipPort());
        UserAgent alice = userAgent()) {
      patiently().until(() -> services.snapts().configured("snapt-1").isPresent());
      snapt.announceTo(
          NettyChannelBuilder.forAddress("localhost", services.snaptsPort())
              .sslContext(
                  GrpcSslContexts.configure(
                          operator.material("snapt-1").clientBuilder(), SslProvider.JDK)
                      .build())
              .build());
      services.send(
          "POST", "/accounts", "{\"id\":\"alice\",\"password\":\"unused-here\",\"role\":\"user\"}");
      services.topUp(USER, TOP_UP);
      patiently().until(() -> services.subscribers().isActive(USER));

      alice.register();
      patiently().untilAsserted(() -> assertThat(bindings(services)).as(core::log).hasSize(1));
      alice.subscribeSession(raw(key));
      SessionGrant grant = grants.poll(45, TimeUnit.SECONDS);
      assertThat(grant).as(core::log).isNotNull();
      assertThat(grant.icid())
          .as("icid-value that scscf.cfg has made: MD5 of Call-ID, and CSeq")
          .matches("[0-9a-f]{32}\\d+");

      try (TunnelledDevice device =
          TunnelledDevice.connect(snapt, devices.trust(), key, grant.token())) {
        device.carry(PACKETS);
        device.signReceipt();
      }
      patiently().untilAsserted(() -> assertThat(charged(services)).as("charges").isGreaterThan(0));
      patiently().until(() -> snapt.spool.pending() == 0);
      assertThat(services.send("GET", "/reports/held?account=alice", "").get("held")).isEmpty();
      assertThat(balance(services)).isEqualTo(TOP_UP - charged(services));

      patiently()
          .untilAsserted(() ->
              assertThat(records)
                  .as("a record with a flow")
                  .anyMatch(record ->
                      information(record, "PS-Information")
                          .map(used -> used.groups("Service-Data-Container").count() > 0)
                          .orElse(false)));
      assertThat(records)
          .allSatisfy(record -> {
            assertThat(record.avps().text("User-Name")).hasValue("sip:alice@ims.test");
            assertThat(
                    information(record, "IMS-Information")
                        .flatMap(ims -> ims.text("IMS-Charging-Identifier")))
                .hasValue(grant.icid());
          });
    }
  }

  private UserAgent userAgent() throws Exception {
    return UserAgent.start(
        UserAgentSettings.of(
            SideBySide.DOMAIN,
            USER,
            "alice-secret", // of the HSS; billing's password is another one
            KamailioCore.address(network),
            Transport.UDP,
            SipEndpointSettings.client(
                new InetSocketAddress(InetAddress.ofLiteral(network + "3"), 0))),
        InstantSource.system(),
        new UserAgentListener() {
          @Override
          public void onSessionGrant(SessionGrant grant) {
            grants.add(grant);
          }
        });
  }

  private static List<Binding> bindings(SideBySide services) {
    return services.locations().bindings(USER, Instant.now());
  }

  private static JsonNode charges(SideBySide services) throws Exception {
    return services.send("GET", "/accounts/alice/charges", "").get("charges");
  }

  private static long charged(SideBySide services) throws Exception {
    long sum = 0;
    for (JsonNode charge : charges(services)) {
      sum += Long.parseLong(charge.get("netMicrodenarii").asString());
    }
    return sum;
  }

  private static long balance(SideBySide services) throws Exception {
    return services.send("GET", "/accounts/alice/credit", "").get("balanceMicrodenarii").asLong();
  }

  private static Optional<AvpGroup> information(DiameterMessage record, String kind) {
    return record.avps().group("Service-Information").flatMap(all -> all.group(kind));
  }
}
