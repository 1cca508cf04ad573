package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.links.Remotes;
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
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.wire.LinkName;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One path of the device, from one link to one place of the other end: its socket, what waits for
/// it, and whether the other end answers by it. Owner: the data path's event loop.
///
/// A path that was left is used again after a hold time ([HoldTime]).
final class DevicePath implements DatagramReader, UseRule.Facts, AutoCloseable {
  /// Takes what arrives by a path.
  interface Receiver {
    /// Called once before the datagrams of one receive.
    void burst(long waitedNs);

    void datagram(DevicePath by, ByteBuf content, InetSocketAddress from);

    void batchEnd(DevicePath by);

    /// Called when the path accepts more datagrams.
    void writable();
  }

  /// Time without an answer after which a link of both families tries the other one.
  static final long FAMILY_NS = 1_000_000_000;

  final int id;

  /// Position of the place in [Remotes#places].
  final int place;

  final UdpSink sink;
  final PathWatch watch;
  final SilenceWatch silence = new SilenceWatch();

  /// Null for the path of the socket that the kernel routes.
  @Nullable UsableLink link;

  PathUse use = PathUse.NO;
  long offeredBytes;

  /// The smoothed round trip that the last probe told the SNAPT, and the time of that probe.
  long toldRoundTripNs;

  long toldNs;

  /// Time of the last answer to a probe.
  long answeredNs;

  /// Time of the last probe by UDP; long ago before the first one.
  long probedNs;

  long sinceNs;
  private final Receiver receiver;
  private final UdpSockets sockets;
  private final BadLoss badUp = new BadLoss();
  private final BadLoss badDown = new BadLoss();
  final HoldTime hold;

  // The family of the SNAPT's address: false for the first one that the link can reach.
  private boolean second;
  private long triedNs;
  private int tries; // changes of the family since the last answer
  private boolean losing;

  // The link's addresses of the path's family when it began on its network.
  private List<InetAddress> sources;

  /// Opens the socket.
  ///
  /// @param settings those of the socket; bound to the link, if there is one
  /// @throws SocketException if the socket cannot be opened
  DevicePath(
      int id,
      PathEnds ends,
      IoEventLoop loop,
      UdpSettings settings,
      InetSocketAddress peer,
      MobilitySettings mobility,
      Receiver receiver,
      HoldTime hold,
      long nowNs)
      throws SocketException {
    this.id = id;
    this.link = ends.link();
    this.place = ends.place();
    this.receiver = receiver;
    this.sockets = UdpSockets.bind(List.of(loop), settings, _ -> this);
    this.sink = new UdpSink(sockets.sockets().getFirst(), peer);
    this.watch = new PathWatch(mobility, nowNs);
    this.sinceNs = nowNs;
    this.hold = hold;
    this.triedNs = nowNs;
    this.probedNs = nowNs - PathProbes.SPARE_NS;
    this.sources = presentSources();
  }

  private List<InetAddress> presentSources() {
    UsableLink of = link;
    boolean isIpv4 = sink.peer().getAddress() instanceof Inet4Address;
    return of == null
        ? List.of()
        : of.sources().stream().filter(each -> each instanceof Inet4Address == isIpv4).toList();
  }

  /// Returns whether every address is gone that the path had when it began on its network.
  boolean isRenumbered() {
    return !sources.isEmpty() && Collections.disjoint(sources, presentSources());
  }

  /// Returns the address family of the path.
  OuterHeader header() {
    return OuterHeader.of(sink.peer());
  }

  /// Returns the address among these to which the path should lead; null if it can reach none.
  @Nullable InetSocketAddress choose(Remotes peers) {
    return peers.of(link, place, second);
  }

  /// Changes to the other address family if the SNAPT has not answered by this one for a second.
  /// The caller then follows [#choose]. It happens just before a probe, so that a search with long
  /// pauses tries both families in turn.
  void alternate(long nowNs) {
    if (isAlive()) {
      triedNs = nowNs;
      tries = 0;
    } else if (nowNs - triedNs >= FAMILY_NS && watch.isRetryDue(nowNs)) {
      triedNs = nowNs;
      second = !second;
      tries++;
    }
  }

  /// Returns whether the search has been through both address families, and nothing has answered:
  /// nothing was measured that a further change could make wrong.
  boolean isUnknownInBothFamilies() {
    return tries > 2;
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

  /// Returns whether another path leaves by the same link.
  boolean isByLinkOf(DevicePath other) {
    return linkName().equals(other.linkName());
  }

  /// Returns the name of the link as the SNAPT is told it.
  String toldLink() {
    return link == null ? LinkName.UNKNOWN : LinkName.of(link.name());
  }

  /// Returns the address to which the path leads.
  String remoteName() {
    return sink.peer().getAddress().getHostAddress();
  }

  @Override
  public boolean isSpare() {
    return link != null && link.isSpare();
  }

  @Override
  public boolean isLosingBadly() {
    return badUp.isBad() || badDown.isBad();
  }

  @Override
  public boolean isWeak() {
    return link != null && link.isWeak();
  }

  @Override
  public boolean isAlive() {
    return !watch.isSearching();
  }

  @Override
  public boolean isReady(long nowNs) {
    return isAlive() && nowNs - hold.usableNs() >= 0;
  }

  /// Returns the end of the hold time if it lies ahead, Long.MAX_VALUE otherwise.
  long heldUntilNs(long nowNs) {
    return isAlive() && hold.usableNs() - nowNs > 0 ? hold.usableNs() : Long.MAX_VALUE;
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
    if (!isReady(nowNs) && use == PathUse.NO) {
      return "it answers again, and is tried for %d ms more"
          .formatted((hold.usableNs() - nowNs) / 1_000_000);
    }
    if (link != null && link.isWeak()) {
      return use == PathUse.NO
          ? "its signal is weak (%d dBm), and another link works".formatted(link.weakDbm())
          : "its signal is weak (%d dBm), but no other link works".formatted(link.weakDbm());
    }
    if (!isSpare()) {
      return use == PathUse.SPARE
          ? "it loses 10 %% and more, and a spare works; it is tried again within %d s"
              .formatted(secondsUntried(nowNs))
          : "it answers";
    }
    return use == PathUse.YES
        ? "it is a spare, and every other link loses 10 % and more"
        : "the configuration keeps it as a spare";
  }

  private long secondsUntried(long nowNs) {
    long untriedNs = Math.max(badUp.untriedNs(nowNs), badDown.untriedNs(nowNs));
    return Math.ceilDiv(untriedNs, 1_000_000_000L);
  }

  PathStatus status(PathState measured, long nowNs) {
    losing = PathReport.isLosing(measured, losing);
    badUp.measured(measured.lossSample(), nowNs);
    badDown.measured(measured.lossToHereSample(), nowNs);
    boolean kept = isSpare() && use != PathUse.YES;
    return PathReport.of(
        measured,
        linkName(),
        remoteName(),
        !isAlive() ? "dead" : kept ? "spare" : losing || isLosingBadly() ? "losing" : "usable",
        use,
        why(nowNs),
        (nowNs - sinceNs) / 1_000_000,
        link == null ? 0 : link.cost());
  }

  /// Records that traffic leaves the path, because nothing arrives by it.
  void left(long nowNs) {
    died(nowNs);
    watch.left(nowNs);
  }

  /// Records that the path's watch has found it dead.
  void died(long nowNs) {
    hold.left(nowNs);
    silence.reset();
  }

  /// Records the first answer after a change or a silence.
  void found(long nowNs) {
    hold.found(nowNs);
  }

  /// Starts anew on another network, which has no history.
  void networkChanged(long nowNs) {
    hold.networkChanged(nowNs);
    sources = presentSources();
    triedNs = nowNs;
    tries = 0;
    losing = false;
    badUp.reset();
    badDown.reset();
    silence.reset();
    watch.networkChanged(nowNs);
  }

  /// Returns the time of the next decision.
  ///
  /// @param isWatched whether the path's own watch decides
  long nextTickNs(boolean isWatched, long nowNs) {
    long watchNs = isWatched ? watch.nextTickNs() : Long.MAX_VALUE;
    return Math.min(Math.min(watchNs, silence.nextTickNs()), heldUntilNs(nowNs));
  }

  @Override
  public void close() {
    sink.release();
    sockets.close();
  }
}
