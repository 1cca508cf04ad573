package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.viaduct.cnapt.links.LinkListener;
import io.viaduct.cnapt.links.LinkUse;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.mobility.MobilitySettings;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.session.LoopMemory;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/// The paths of a device with real sockets on the loopback, and a [LoopbackSnapt]. The clock
/// belongs to the test. All links are the loopback, with numbers of their own.
final class LoopbackPaths implements DevicePath.Receiver, DataPathListener, AutoCloseable {
  static final long SEED = 20_261_125;
  private static final int HEADROOM = 16;
  private static final long HALF_NS = 5_000_000;
  private static final long IDLE_HALF_NS = 10_000_000;
  private static final MobilitySettings MOBILITY =
      new MobilitySettings(
          Duration.ofMillis(300), Duration.ofSeconds(25), Duration.ofMillis(20), 4);
  private static final long PATIENCE_NS = 200_000_000;
  private static final int PAYLOAD_BYTES = 1_000;
  static final PacketForge.Endpoints ENDPOINTS = PacketForge.Endpoints.ipv4(5000, 7, 5000);

  long nowNs = 5_000_000_000L;

  /// Packets that the device has sent.
  int offered;

  private volatile long received; // datagrams

  /// Packets that the device has received.
  volatile int delivered;

  /// Causes of the moves of traffic so far.
  final List<String> moves = new CopyOnWriteArrayList<>();

  final LoopbackSnapt snapt;
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final IoEventLoop loop = loops.next();
  private final SplittableRandom weather = new SplittableRandom(SEED);
  private final LoopMemory memory = memory();
  private final TunnelSession device;
  private final DevicePaths paths;

  LoopbackPaths() throws IOException {
    snapt = new LoopbackSnapt(nowNs);
    device = session(TunnelRole.AGENT, memory, new VoiceFlows(), new Answers(), nowNs);
    paths = new DevicePaths(loop, 0, new EndRole.Dialling(MOBILITY, null, () -> false), this, this);
  }

  static LoopMemory memory() {
    return new LoopMemory(ByteBufAllocator.DEFAULT, new SecureRandom());
  }

  /// Returns an end of the session.
  static TunnelSession session(
      TunnelRole role, LoopMemory memory, FlowListener flows, PathListener listener, long nowNs) {
    TunnelSettings settings = TunnelSettings.defaults();
    TunnelLimits limits = new TunnelLimits(1500, settings.historyBytes(), 4, TunnelLimits.FEATURES);
    SessionSecret secret = SessionSecret.of(new byte[SessionSecret.BYTES]);
    int peerIndex = role == TunnelRole.AGENT ? 22 : 11;
    return new TunnelSession(
        role,
        new TunnelTerms(AeadAlgorithm.AES_256_GCM, secret, peerIndex, limits),
        settings,
        memory,
        flows,
        listener,
        nowNs);
  }

  /// Returns a link of both families.
  static UsableLink link(int index, boolean isSpare) {
    List<InetAddress> sources =
        List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("::1"));
    return new UsableLink("lo", index, sources, 0, isSpare ? LinkUse.SPARE : LinkUse.YES, null);
  }

  /// Returns a link with other addresses.
  static UsableLink having(UsableLink link, String... addresses) {
    return new UsableLink(
        link.name(),
        link.index(),
        Stream.of(addresses).map(InetAddress::ofLiteral).toList(),
        link.cost(),
        link.use(),
        link.weakDbm());
  }

  /// Begins the session with these links, each of which gets a path.
  void begin(UsableLink... links) throws Exception {
    begin(snapt.peers(), links);
  }

  /// Begins the session with these links and places; each pair of them gets a path.
  void begin(Remotes peers, UsableLink... links) {
    on(() -> {
      List.of(links).forEach(each -> paths.linkChanged(null, each, nowNs));
      paths.begin(device, peers, nowNs);
    });
  }

  IoEventLoop loop() {
    return loop;
  }

  /// Returns the listener to the links that may be used, as [DataPath#links].
  LinkListener links() {
    return new LinkDifferences((before, now) -> paths.linkChanged(before, now, nowNs));
  }

  /// Changes a link.
  void change(UsableLink before, UsableLink now) {
    on(() -> paths.linkChanged(before, now, nowNs));
  }

  /// Runs an action on the event loop.
  void on(Runnable action) {
    loop.submit(action).syncUninterruptibly();
  }

  /// Advances the clock; the device sends a packet of 1 kB every 10 ms, of a class with low delay.
  void advanceMs(int ms) throws IOException {
    long endNs = nowNs + ms * 1_000_000L;
    while (nowNs < endNs) {
      on(this::deviceTurn);
      nowNs += HALF_NS;
      snapt.turn(nowNs);
      nowNs += HALF_NS;
      receive();
    }
  }

  /// Advances the clock by steps of 20 ms; the device sends no packets.
  void idleMs(int ms) throws IOException {
    long endNs = nowNs + ms * 1_000_000L;
    while (nowNs < endNs) {
      on(this::idleTurn);
      nowNs += IDLE_HALF_NS;
      snapt.turn(nowNs);
      nowNs += IDLE_HALF_NS;
      receive();
    }
  }

  /// Offers a packet of the one flow, with bytes that cannot be compressed.
  static void offer(TunnelSession to, SplittableRandom content, long nowNs) {
    offer(to, ENDPOINTS, content, nowNs);
  }

  /// Offers a packet of the flow between these ends, with bytes that cannot be compressed.
  static void offer(
      TunnelSession to, PacketForge.Endpoints ends, SplittableRandom content, long nowNs) {
    byte[] payload = new byte[PAYLOAD_BYTES];
    content.nextBytes(payload);
    byte[] packet = PacketForge.udp(ends, payload);
    ByteBuf buffer = Unpooled.directBuffer().writeZero(HEADROOM).writeBytes(packet);
    to.offer(new IpPacket().set(buffer, HEADROOM, packet.length, 0, false), nowNs);
    buffer.release();
  }

  /// Lets the device receive what the SNAPT has sent. On a busy machine the kernel delivers later
  /// than at once; what was sent to a closed socket never comes.
  void receive() {
    long begunNs = System.nanoTime();
    do {
      on(() -> {});
      on(() -> {}); // the loop has polled the sockets between two tasks
    } while (received < snapt.sent && System.nanoTime() - begunNs < PATIENCE_NS);
    received = snapt.sent;
  }

  private void deviceTurn() {
    offered++;
    offer(device, weather, nowNs);
    device.flushBatch(nowNs);
    idleTurn();
  }

  private void idleTurn() {
    device.onTick(nowNs);
    paths.tick(Carrier.UDP, nowNs);
    drain();
  }

  /// Returns the paths of the device, for calls on the event loop.
  DevicePaths paths() {
    return paths;
  }

  private void drain() {
    paths.liveness().offered(nowNs);
    paths.bursts().send(nowNs);
    device.drain(paths, nowNs);
  }

  /// Returns the state of a path.
  PathStatus path(int id) {
    PathStatus[] seen = new PathStatus[1];
    on(() ->
        paths.status(nowNs).stream()
            .filter(each -> each.id() == id)
            .forEach(each -> seen[0] = each));
    return seen[0];
  }

  /// Returns the state of all paths.
  List<PathStatus> status() {
    List<PathStatus> seen = new ArrayList<>();
    on(() -> seen.addAll(paths.status(nowNs)));
    return seen;
  }

  /// Returns the number of pairs that are no path, because the session may have no more.
  int refusedPairs() {
    int[] seen = new int[1];
    on(() -> seen[0] = paths.sockets().refusedPairs());
    return seen[0];
  }

  /// Returns the family of the addresses between which a path's datagrams travel.
  OuterHeader family(int id) {
    OuterHeader[] seen = new OuterHeader[1];
    on(() -> seen[0] = paths.find(id).header());
    return seen[0];
  }

  /// Returns the bytes of packets that the device gave to a path so far.
  long offeredBytes(int id) {
    return device.offeredBytes(id);
  }

  private static final class VoiceFlows implements FlowListener {
    @Override
    public void opened(FlowState flow) {
      flow.classify(ServiceClass.HT_LD, 3);
    }
  }

  private final class Answers implements PathListener {
    @Override
    public void probed(int path, long rttUs, double smoothedRttUs, long clockOffsetUs) {
      paths.answered(path, rttUs * 1000, (long) (smoothedRttUs * 1000), nowNs);
    }
  }

  @Override
  public void burst(long waitedNs) {}

  @Override
  public void datagram(DevicePath by, ByteBuf content, InetSocketAddress from) {
    received++; // on the loop, between two waits of the test
    int length = content.readableBytes();
    boolean isAlive =
        device
            .open(content, content.readerIndex(), length, by.id, from, (_, _) -> delivered++, nowNs)
            .isSignOfLife();
    if (isAlive) {
      paths.liveness().heard(by, length, nowNs);
    }
  }

  @Override
  public void batchEnd(DevicePath by) {
    device.openBatchEnd(nowNs);
    drain();
  }

  @Override
  public void writable() {}

  @Override
  public void pathFound(long atNs) {}

  @Override
  public void pathLeft(LeftPath left) {}

  @Override
  public void trafficMoved(String cause, String from, String to, boolean isToBeAnswered) {
    moves.add(cause);
  }

  @Override
  public void pathDead() {}

  @Override
  public void carrierChanged(Carrier to, long silentNs) {}

  @Override
  public void carrierResumed(long afterNs) {}

  @Override
  public void close() throws IOException {
    on(() -> {
      paths.end();
      paths.close();
      device.close();
    });
    snapt.close();
    memory.close();
    loops.shutdownGracefully();
  }
}
