package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.mobility.MobilitySettings;
import io.viaduct.cnapt.mobility.PathWatch;
import io.viaduct.cnapt.mobility.SilenceWatch;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.host.udp.DatagramReader;
import io.viaduct.host.udp.UdpSettings;
import io.viaduct.host.udp.UdpSockets;
import io.viaduct.tunnel.session.PathState;
import io.viaduct.tunnel.session.PathUse;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// One path of the device: the socket of one link, what waits for it, and whether the SNAPT answers
/// by it. Owner: the data path's event loop.
///
/// A path that was left while its link was up is used again after a hold time. If it is left again
/// within 30 s of its return, the hold time doubles, up to 60 s. So a path that flaps carries
/// little.
final class DevicePath implements DatagramReader, AutoCloseable {
  /// Takes what arrives by a path.
  interface Receiver {
    /// Called once before the datagrams of one receive.
    void burst(long waitedNs);

    void datagram(DevicePath by, ByteBuf content, InetSocketAddress from);

    void batchEnd(DevicePath by);

    /// Called when the path accepts more datagrams.
    void writable();
  }

  static final long HOLD_NS_MIN = 500_000_000;
  static final long HOLD_NS_MAX = 60_000_000_000L;
  static final long FLAP_NS = 30_000_000_000L;

  /// Loss above which a path is losing. It is left by the loss of the last second, and may return
  /// by that of the last ten seconds, so a path whose loss comes and goes is not taken in between.
  private static final double LOSING_RATIO = 0.02;

  final int id;
  final UdpSink sink;
  final PathWatch watch;
  final SilenceWatch silence = new SilenceWatch();

  /// Null for the path of the socket that the kernel routes.
  @Nullable UsableLink link;

  PathUse use = PathUse.NO;
  long offeredBytes;
  long sinceNs;
  private final Receiver receiver;
  private final UdpSockets sockets;
  private boolean losing;
  private long holdNs;
  private long usableNs;
  private long returnedNs;

  /// Opens the socket.
  ///
  /// @param settings those of the socket; bound to the link, if there is one
  /// @throws SocketException if the socket cannot be opened
  DevicePath(
      int id,
      @Nullable UsableLink link,
      IoEventLoop loop,
      UdpSettings settings,
      InetSocketAddress peer,
      MobilitySettings mobility,
      Receiver receiver,
      long nowNs)
      throws SocketException {
    this.id = id;
    this.link = link;
    this.receiver = receiver;
    this.sockets = UdpSockets.bind(List.of(loop), settings, _ -> this);
    this.sink = new UdpSink(sockets.sockets().getFirst(), peer);
    this.watch = new PathWatch(mobility, nowNs);
    this.sinceNs = nowNs;
    this.usableNs = nowNs;
    this.returnedNs = nowNs - FLAP_NS;
  }

  @Override
  public void burst(long waitedNs) {
    receiver.burst(waitedNs);
  }

  @Override
  public void datagram(ByteBuf content, InetSocketAddress from) {
    receiver.datagram(this, content, from);
  }

  @Override
  public void batchEnd() {
    receiver.batchEnd(this);
  }

  @Override
  public void writable() {
    receiver.writable();
  }

  /// Returns the name of the link, `any` if the kernel chooses it.
  String linkName() {
    return link == null ? "any" : link.name();
  }

  boolean isSpare() {
    return link != null && link.isSpare();
  }

  /// Returns whether the SNAPT answers by this path.
  boolean isAlive() {
    return !watch.isSearching();
  }

  /// Returns whether the path is alive and its hold time is over.
  boolean isReady(long nowNs) {
    return isAlive() && nowNs - usableNs >= 0;
  }

  /// Returns the end of the hold time if it lies ahead, Long.MAX_VALUE otherwise.
  long heldUntilNs(long nowNs) {
    return isAlive() && usableNs - nowNs > 0 ? usableNs : Long.MAX_VALUE;
  }

  /// Sets the use of the path.
  void use(PathUse next, long nowNs) {
    use = next;
    sinceNs = nowNs;
  }

  /// Returns the reason of the present use.
  String why(long nowNs) {
    if (watch.isDead()) {
      return "nothing arrives by it";
    }
    if (!isAlive()) {
      return "the SNAPT has not answered by it yet";
    }
    if (!isReady(nowNs)) {
      return "it answers again, and is tried for %d ms more"
          .formatted((usableNs - nowNs) / 1_000_000);
    }
    return isSpare() ? "the configuration keeps it as a spare" : "it answers";
  }

  PathStatus status(PathState measured, long nowNs) {
    losing = isLosing(measured);
    String state = !isAlive() ? "dead" : isSpare() ? "spare" : losing ? "losing" : "usable";
    double limit = measured.bitPerSecond();
    return new PathStatus(
        id,
        linkName(),
        state,
        use.name().toLowerCase(Locale.ROOT),
        why(nowNs),
        (nowNs - sinceNs) / 1_000_000,
        milliseconds(measured.roundTripUs()),
        milliseconds(measured.usualRoundTripUs()),
        percent(measured.lossRatio()),
        percent(measured.lossToHereRatio()),
        percent(measured.usualLossRatio()),
        measured.pathMtu(),
        Math.round(measured.sentBitPerSecond()),
        Double.isInfinite(limit)
            ? PathStatus.UNKNOWN_RATE
            : Math.max(0, Math.round(limit - measured.sentBitPerSecond())),
        link == null ? 0 : link.cost());
  }

  private boolean isLosing(PathState measured) {
    return Math.max(measured.lossRatio(), measured.lossToHereRatio()) >= LOSING_RATIO
        || losing && measured.usualLossRatio() >= LOSING_RATIO;
  }

  private static @Nullable Double milliseconds(double us) {
    return Double.isNaN(us) ? null : us / 1000;
  }

  private static double percent(double ratio) {
    return Math.round(ratio * 1000) / 10.0;
  }

  /// Records that traffic leaves the path, because nothing arrives by it.
  void left(long nowNs) {
    boolean flaps = nowNs - returnedNs < FLAP_NS;
    holdNs = flaps ? Math.clamp(2 * holdNs, HOLD_NS_MIN, HOLD_NS_MAX) : HOLD_NS_MIN;
    watch.left(nowNs);
    silence.reset();
  }

  /// Records the first answer after a change or a silence.
  void found(long nowNs) {
    usableNs = nowNs + holdNs;
    returnedNs = usableNs;
  }

  /// Starts anew on another network, which has no history.
  void networkChanged(long nowNs) {
    holdNs = 0;
    usableNs = nowNs;
    losing = false;
    silence.reset();
    watch.networkChanged(nowNs);
  }

  /// Returns the time of the next decision.
  long nextTickNs(long nowNs) {
    return Math.min(Math.min(watch.nextTickNs(), silence.nextTickNs()), heldUntilNs(nowNs));
  }

  @Override
  public void close() {
    sink.release();
    sockets.close();
  }
}
