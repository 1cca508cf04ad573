package io.viaduct.cnapt.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.viaduct.cnapt.control.BridgeDirectory;
import io.viaduct.cnapt.control.ControlClient;
import io.viaduct.cnapt.control.ControlFailure;
import io.viaduct.cnapt.control.ControlListener;
import io.viaduct.cnapt.control.ControlSettings;
import io.viaduct.cnapt.control.ControlTransport;
import io.viaduct.cnapt.control.DeviceIdentity;
import io.viaduct.cnapt.control.DeviceSnapts;
import io.viaduct.cnapt.control.Greeting;
import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.control.SnaptClaims;
import io.viaduct.cnapt.control.SnaptSettings;
import io.viaduct.cnapt.control.Welcomed;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.PinnedKey;
import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.terms.TunnelLimits;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Both ends of the control connection between peers, over sockets of the loopback.
class PeerConnectionTest {
  private static final InetAddress HERE = InetAddress.ofLiteral("127.0.0.1");
  private static final InetAddress ALSO_HERE = InetAddress.ofLiteral("127.0.0.2");
  private static final int HANDSHAKE_MS = 2_000;
  private static final int UDP_PORT = 4600; // only told
  private static final long SEED = 42;
  private static final TunnelLimits LIMITS =
      new TunnelLimits(1500, 65_536, TunnelLimits.PATHS_MAX, TunnelLimits.FEATURES)
          .with(Feature.MEASUREMENTS);

  @TempDir Path folder;

  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final KeyPair listening = Ed25519.generate();
  private final KeyPair dialling = Ed25519.generate();
  private final Queue<Accepted> accepted = new ConcurrentLinkedQueue<>();
  private final Dialler dialler = new Dialler();
  private PeerServer server;
  private ControlClient client;
  private int port;

  /// The end that dials: notes what it hears.
  private static final class Dialler implements ControlListener {
    final Queue<Welcomed> welcomed = new ConcurrentLinkedQueue<>();
    final Queue<String> lost = new ConcurrentLinkedQueue<>();
    final Queue<String> refused = new ConcurrentLinkedQueue<>();

    @Override
    public void welcomed(Welcomed by) {
      welcomed.add(by);
    }

    @Override
    public void lost(ControlFailure why, String detail) {
      lost.add(why + ": " + detail);
    }

    @Override
    public void tokenRefused(String detail) {
      refused.add(detail);
    }

    @Override
    public void credit(CreditNotice notice) {}

    @Override
    public void tokenAccepted(long expiresMs) {}

    @Override
    public void relays(List<Snapt> relays) {}

    @Override
    public long carriedBytes() {
      return 0;
    }

    @Override
    public void datagrams(List<ByteBuf> datagrams, Runnable taken) {
      datagrams.forEach(ByteBuf::release);
      taken.run();
    }
  }

  private final class Listener implements PeerListener {
    @Override
    public void accepted(Accepted by) {
      accepted.add(by);
    }

    @Override
    public void lost(String why) {}

    @Override
    public void datagrams(List<ByteBuf> datagrams, Runnable taken) {
      datagrams.forEach(ByteBuf::release);
      taken.run();
    }
  }

  @AfterEach
  void close() {
    if (client != null) {
      client.close("the test ends");
    }
    if (server != null) {
      server.close("the test ends");
    }
    loops.shutdownGracefully();
  }

  private static byte[] raw(KeyPair pair) {
    return Ed25519.raw((EdECPublicKey) pair.getPublic());
  }

  private void listen(byte[] expected, int handshakeMs) throws Exception {
    server =
        new PeerServer(
            loops.next(),
            listening,
            expected,
            LIMITS,
            handshakeMs,
            InstantSource.system(),
            new Listener());
    port = server.start(List.of(new InetSocketAddress(HERE, 0)), UDP_PORT).getFirst().getPort();
  }

  private void dial(byte[] expected, TunnelLimits limits) throws Exception {
    Path file = folder.resolve("dial.pem");
    Ed25519.writePrivate(file, dialling.getPrivate());
    client =
        new ControlClient(
            new ControlTransport(loops.next(), () -> PinnedKey.client(expected), 0, List::of),
            new ControlSettings(
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                Duration.ofMillis(20),
                Duration.ofMillis(100),
                Duration.ofSeconds(10)),
            DeviceIdentity.read(file),
            new Greeting(
                List.of(Aead.AES_256_GCM), List.of("ssh"), limits, "10.0.0.1", "", "test", true),
            new DeviceSnapts(
                new SnaptSettings(HERE.getHostAddress(), port, ""),
                new SnaptClaims(),
                new BridgeDirectory(System::nanoTime)),
            null,
            new Random(SEED),
            dialler);
    client.present(new byte[0], List.of(), Map.of(HERE.getHostAddress(), List.of(HERE, ALSO_HERE)));
  }

  @Test
  void eachEndKnowsTheOthersKeyAndTheyAgreeOnSharedMeasurements() throws Exception {
    listen(raw(dialling), HANDSHAKE_MS);
    dial(raw(listening), LIMITS);
    await().until(() -> dialler.welcomed.size() == 1 && accepted.size() == 1);
    Welcomed at = dialler.welcomed.element();
    Accepted by = accepted.element();
    assertThat(at.terms(LIMITS).limits().hasMeasurements()).isTrue();
    assertThat(by.terms().limits()).isEqualTo(at.terms(LIMITS).limits());
    assertThat(at.peers().places()).as("each address of the other end is a place").hasSize(2);
    assertThat(at.peers().control().getPort()).isEqualTo(UDP_PORT);
    assertThat(at.welcome().getFeaturesList()).doesNotContain(Feature.RECEIPTS);
    assertThat(by.welcome().getSecret().isEmpty())
        .as("the secret stays with the data path")
        .isTrue();
    assertThat(by.terms().secret().reveal()).isEqualTo(at.terms(LIMITS).secret().reveal());
  }

  @Test
  void aConnectionThatIsMadeAgainResumesTheSession() throws Exception {
    listen(raw(dialling), HANDSHAKE_MS);
    dial(raw(listening), LIMITS);
    await().until(() -> dialler.welcomed.size() == 1);
    client.networkChanged();
    await().until(() -> dialler.welcomed.size() == 2 && accepted.size() == 2);
    assertThat(dialler.welcomed)
        .extracting(each -> each.welcome().getResumed())
        .containsExactly(false, true);
    assertThat(accepted.stream().map(each -> each.welcome().getSessionId()).distinct()).hasSize(1);
    assertThat(accepted.stream().toList().getLast().terms()).as("no new keys").isNull();
  }

  @Test
  void aListenerWithAnotherKeyIsRefusedByTheDialler() throws Exception {
    listen(raw(dialling), HANDSHAKE_MS);
    byte[] other = raw(Ed25519.generate());
    dial(other, LIMITS);
    await().until(() -> !dialler.lost.isEmpty());
    assertThat(dialler.lost.element())
        .startsWith("CERTIFICATE_REFUSED")
        .contains(PinnedKey.text(raw(listening)), PinnedKey.text(other), "compare the keys");
    assertThat(client.counts().failures(ControlFailure.CERTIFICATE_REFUSED)).isPositive();
    await().until(() -> server.refusals(PeerRefusal.TLS_FAILED) > 0);
    assertThat(accepted).isEmpty();
    assertThat(dialler.welcomed).isEmpty();
  }

  @Test
  void aDiallerWithAnotherKeyIsRefusedBeforeAnythingChanges() throws Exception {
    listen(raw(Ed25519.generate()), HANDSHAKE_MS);
    dial(raw(listening), LIMITS);
    await().until(() -> !dialler.refused.isEmpty());
    assertThat(dialler.refused.element()).contains("PROOF_INVALID", "compare the keys");
    assertThat(client.counts().refusals(RefusalCode.PROOF_INVALID)).isPositive();
    assertThat(server.refusals(PeerRefusal.KEY_REFUSED)).isPositive();
    assertThat(accepted).isEmpty();
  }

  @Test
  void aDiallerWithAnotherKeyDoesNotDisturbTheSessionOfThePeer() throws Exception {
    listen(raw(dialling), HANDSHAKE_MS);
    dial(raw(listening), LIMITS);
    await().until(() -> dialler.welcomed.size() == 1);
    ControlClient own = client;
    KeyPair stranger = Ed25519.generate();
    Path file = folder.resolve("stranger.pem");
    Ed25519.writePrivate(file, stranger.getPrivate());
    Dialler strange = new Dialler();
    ControlClient other =
        new ControlClient(
            new ControlTransport(loops.next(), () -> PinnedKey.client(raw(listening)), 0, List::of),
            new ControlSettings(
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                Duration.ofMillis(20),
                Duration.ofMillis(100),
                Duration.ofSeconds(10)),
            DeviceIdentity.read(file),
            new Greeting(
                List.of(Aead.AES_256_GCM), List.of("ssh"), LIMITS, "10.0.0.1", "", "test", true),
            new DeviceSnapts(
                new SnaptSettings(HERE.getHostAddress(), port, ""),
                new SnaptClaims(),
                new BridgeDirectory(System::nanoTime)),
            null,
            new Random(SEED),
            strange);
    other.present(new byte[0], List.of(), Map.of());
    await().until(() -> strange.refused.size() >= 2);
    other.close("the test ends");
    assertThat(accepted).hasSize(1);
    assertThat(dialler.lost).isEmpty();
    client = own;
  }

  @Test
  void aHelloWithoutSharedMeasurementsIsRefused() throws Exception {
    listen(raw(dialling), HANDSHAKE_MS);
    dial(
        raw(listening),
        new TunnelLimits(1500, 65_536, TunnelLimits.PATHS_MAX, TunnelLimits.FEATURES));
    await().until(() -> client.counts().refusals(RefusalCode.HELLO_MALFORMED) > 0);
    assertThat(server.refusals(PeerRefusal.HELLO_REFUSED)).isPositive();
    assertThat(accepted).isEmpty();
  }

  @Test
  void aConnectionThatSaysNothingOrNoTlsIsClosedAndCounted() throws Exception {
    listen(raw(dialling), 200);
    try (Socket silent = new Socket(HERE, port);
        Socket rude = new Socket(HERE, port)) {
      rude.getOutputStream()
          .write("GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
      await().until(() -> server.refusals(PeerRefusal.TLS_FAILED) > 0);
      await()
          .until(() ->
              server.refusals(PeerRefusal.HANDSHAKE_TIMEOUT)
                      + server.refusals(PeerRefusal.TLS_FAILED)
                  > 1);
      assertThat(silent.getInputStream().read()).as("closed").isEqualTo(-1);
    }
    assertThat(accepted).isEmpty();
  }

  @Test
  void moreConnectionsFromOneAddressThanAllowedAreRefused() throws Exception {
    listen(raw(dialling), HANDSHAKE_MS);
    Socket[] some = new Socket[5];
    for (int i = 0; i < some.length; i++) {
      some[i] = new Socket(HERE, port);
    }
    await().until(() -> server.refusals(PeerRefusal.CONNECTIONS_PER_ADDRESS_MAX) == 1);
    for (Socket each : some) {
      each.close();
    }
  }
}
