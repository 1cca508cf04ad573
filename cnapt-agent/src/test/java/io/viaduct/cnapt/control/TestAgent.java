package io.viaduct.cnapt.control;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.pkitesting.X509Bundle;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.receipts.LineReceipts;
import io.viaduct.cnapt.receipts.ReceiptLedger;
import io.viaduct.cnapt.receipts.ReceiptSettings;
import io.viaduct.service.tls.CertificateCheck;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.terms.TunnelLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/// The device's end of a control connection: the real client, with a listener that stores its
/// calls.
final class TestAgent implements ControlListener, AutoCloseable {
  private long carried;

  static final String HERE = "127.0.0.1";
  static final byte[] TOKEN = {1, 2, 3};
  static final TunnelLimits LIMITS =
      new TunnelLimits(1500, 65_536, TunnelLimits.PATHS_MAX, TunnelLimits.FEATURES);
  private static final long SEED = 42;

  final KeyPair deviceKey = Ed25519.generate();
  final X509Bundle authority = TestSnapt.authority("operator");
  final Queue<Welcomed> welcomed = new ConcurrentLinkedQueue<>();
  final Queue<Welcomed> turnedBack = new ConcurrentLinkedQueue<>();
  final Queue<ControlFailure> lost = new ConcurrentLinkedQueue<>();
  final Queue<Integer> datagrams = new ConcurrentLinkedQueue<>();
  final Queue<String> details = new ConcurrentLinkedQueue<>();
  final Queue<String> tokensRefused = new ConcurrentLinkedQueue<>();
  final Queue<Long> tokensAccepted = new ConcurrentLinkedQueue<>();
  final Queue<String> told = new ConcurrentLinkedQueue<>();
  final List<CreditNotice> creditNotices = new CopyOnWriteArrayList<>();
  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final Path folder;
  volatile List<UsableLink> links = List.of();
  volatile List<Snapt> listed = List.of();
  volatile boolean mayLeave = true;
  volatile boolean isSpare;
  volatile boolean isSurplus;
  final Queue<String> slept = new ConcurrentLinkedQueue<>();
  final Queue<String> rested = new ConcurrentLinkedQueue<>();
  volatile boolean livesWithoutControl;
  volatile int timesNotTaken; // written by the control loop
  volatile boolean givesUp;
  volatile int timesGivenUp; // written by the control loop
  final BridgeDirectory bridge = new BridgeDirectory(System::nanoTime);
  private ReceiptLedger ledger;
  private ControlClient client;

  TestAgent(Path folder) throws Exception {
    this.folder = folder;
    Files.writeString(folder.resolve("ca.pem"), authority.getCertificatePEM());
    Ed25519.writePrivate(folder.resolve("device.pem"), deviceKey.getPrivate());
    restart();
    System.out.println("seed " + SEED);
  }

  static ControlSettings settings(Duration keepAlive, Duration patience) {
    return new ControlSettings(
        Duration.ofSeconds(2), keepAlive, Duration.ofMillis(20), Duration.ofMillis(100), patience);
  }

  /// Connects to a SNAPT on this machine, and to others on the list.
  void connect(SnaptSettings bootstrap, ControlSettings settings, Snapt... listed) {
    Greeting greeting =
        new Greeting(
            List.of(Aead.AES_256_GCM),
            List.of("ssh", "web"),
            LIMITS,
            "100.96.0.2",
            "fd76::2",
            "test",
            false);
    SslContext trusted =
        TlsMaterial.anonymousClient(
            CertificateCheck.authorities("trust", folder.resolve("ca.pem"), Instant.now()));
    client =
        new ControlClient(
            new ControlTransport(loops.next(), () -> trusted, 0, () -> links),
            settings,
            DeviceIdentity.read(folder.resolve("device.pem")),
            greeting,
            new DeviceSnapts(bootstrap, new SnaptClaims(), bridge),
            new LineReceipts(ledger, 0),
            new Random(SEED),
            this);
    client.present(TOKEN, List.of(listed), Map.of());
  }

  ReceiptLedger ledger() {
    return ledger;
  }

  /// Runs work on the control loop, which owns the ledger.
  <T> T onLoop(Callable<T> work) {
    return loops.next().submit(work).syncUninterruptibly().getNow();
  }

  /// Returns the ledger as it is after a restart of the agent.
  ReceiptLedger restart() throws IOException {
    if (ledger != null) {
      ledger.close();
    }
    ledger =
        ReceiptLedger.open(
            folder.resolve("state"),
            new ReceiptSettings(5, 1_000, 45),
            DeviceIdentity.read(folder.resolve("device.pem"))::sign,
            InstantSource.system());
    return ledger;
  }

  ControlClient client() {
    return client;
  }

  @Override
  public long carriedBytes() {
    return ++carried; // there is always traffic
  }

  @Override
  public void datagrams(List<ByteBuf> came, Runnable taken) {
    for (ByteBuf datagram : came) {
      datagrams.add(datagram.readableBytes());
      datagram.release();
    }
    taken.run();
  }

  @Override
  public void welcomed(Welcomed by) {
    welcomed.add(by);
  }

  @Override
  public void turnedBack(Welcomed to) {
    turnedBack.add(to);
  }

  @Override
  public void lost(ControlFailure why, String detail) {
    lost.add(why);
    details.add(detail);
  }

  @Override
  public void tokenRefused(String detail) {
    tokensRefused.add(detail);
  }

  @Override
  public void credit(CreditNotice notice) {
    creditNotices.add(notice);
  }

  @Override
  public void tokenAccepted(long expiresMs) {
    tokensAccepted.add(expiresMs);
  }

  @Override
  public void relays(List<Snapt> relays) {
    listed = relays;
  }

  @Override
  public void told(boolean isDraining, long deadlineMs, int loadPercent) {
    told.add(isDraining + " " + loadPercent);
  }

  @Override
  public boolean livesWithoutControl() {
    return livesWithoutControl;
  }

  @Override
  public boolean gaveUp() {
    timesGivenUp++;
    return givesUp;
  }

  @Override
  public boolean isSpare() {
    return isSpare;
  }

  @Override
  public boolean isSurplus() {
    return isSurplus;
  }

  @Override
  public void slept(String why) {
    slept.add(why);
  }

  @Override
  public void rested(String why) {
    rested.add(why);
  }

  @Override
  public void notTaken() {
    timesNotTaken++;
  }

  @Override
  public boolean mayLeave() {
    return mayLeave;
  }

  @Override
  public void close() {
    if (client != null) {
      client.close("test ends");
    }
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    ledger.close();
  }
}
