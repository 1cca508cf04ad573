package io.viaduct.bridge.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.netty.NettyChannelBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.bridge.configuration.BridgesSettings;
import io.viaduct.bridge.configuration.BridgesSettings.Peer;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.service.configuration.Secret;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A bridge whose two others are away since its start.
class DutyTest {
  private static final InetSocketAddress PHONE = new InetSocketAddress("192.0.2.7", 5060);
  private static final int KEYS = 1000;

  @TempDir Path directory;
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private long nowNs;
  private Cluster cluster;

  @BeforeEach
  void start() throws Exception {
    Path file = directory.resolve("key");
    TestAuthority.secret(file, Base64.getEncoder().encodeToString(new byte[32]));
    Replicas replicas = new Replicas("a", 10, InstantSource.system());
    cluster =
        new Cluster(
            new BridgesSettings(
                "a",
                Optional.of(Secret.of(file.toString())),
                List.of(new Peer("b", "127.0.0.1", 1), new Peer("c", "127.0.0.1", 1))),
            "ims-bridge",
            replicas,
            peer -> NettyChannelBuilder.forAddress(peer.host(), peer.port()).usePlaintext().build(),
            new ClusterMeters(replicas, registry),
            registry,
            () -> nowNs);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private long ours(Transport transport, String owner) {
    SipFlow flow = new SipFlow(transport, PHONE, owner);
    return IntStream.range(0, KEYS)
        .filter(i -> cluster.isOurs(flow, Integer.toHexString(i * 7919)))
        .count();
  }

  @Test
  void usersOfABridgeThatIsAwayAreTakenOverAfterAGraceAndNotAllAtOnce() {
    assertThat(ours(Transport.UDP, "b")).isZero();
    nowNs = Cluster.GRACE_NS - 1;
    assertThat(ours(Transport.UDP, "b")).isZero();
    nowNs = Cluster.GRACE_NS + Cluster.SPREAD_NS / 2;
    assertThat(ours(Transport.UDP, "b")).isBetween(KEYS / 4L, KEYS * 3L / 4);
    nowNs = Cluster.GRACE_NS + Cluster.SPREAD_NS;
    assertThat(ours(Transport.UDP, "b")).isEqualTo(KEYS);
  }

  @Test
  void ownUsersAreServedAtOnceAndThoseOfConnectionsElsewhereNever() {
    nowNs = Cluster.GRACE_NS + Cluster.SPREAD_NS;
    assertThat(ours(Transport.TLS, "")).isEqualTo(KEYS);
    assertThat(ours(Transport.TCP, "b")).isZero();
    assertThat(ours(Transport.UDP, "unknown")).isZero();
  }

  @Test
  void aNonceOfABridgeThatIsAwayHasNoVerdict() {
    assertThat(cluster.use(BridgesSettings.nonceId("b"), "nonce", 0, 1)).isEmpty();
    assertThat(cluster.use(-1, "nonce", 0, 1)).isEmpty();
  }
}
