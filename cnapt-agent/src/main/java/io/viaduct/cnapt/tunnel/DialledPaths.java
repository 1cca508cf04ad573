package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.mobility.LineSilence;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.session.DatagramSink;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.DatagramHeader;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The paths of an end that dials: [DevicePaths] decides which of them carry data, [CarrierSwitch]
/// whether the control connection carries it instead.
final class DialledPaths implements TunnelPaths, DevicePath.Receiver {
  private final LongSupplier nanoTime;
  private final DevicePaths paths;
  private final CarrierSwitch carriers;
  private final Inbound inbound;
  private final DataPathListener listener;
  private final @Nullable LineSilence silence; // null with a peer
  private final BooleanSupplier hasOthers;
  private volatile long silences; // written by the event loop
  private boolean controlStands;
  private Carrier arrivingBy = Carrier.UDP;

  /// @param mark SO_MARK of the sockets
  DialledPaths(
      IoEventLoop loop,
      LongSupplier nanoTime,
      int mark,
      EndRole.Dialling role,
      Inbound inbound,
      DataPathListener listener) {
    this.silence = role.measuring() == null ? new LineSilence() : null;
    this.hasOthers = role.hasOthers();
    this.nanoTime = nanoTime;
    this.inbound = inbound;
    this.listener = listener;
    this.paths = new DevicePaths(loop, mark, role, this, listener);
    this.carriers =
        new CarrierSwitch(
            loop, inbound::drain, role.mobility(), paths, listener, nanoTime.getAsLong());
  }

  @Override
  public void begin(TunnelSession begun, Remotes peers, long nowNs) {
    changed();
    carriers.begin(begun, nowNs);
    paths.begin(begun, peers, nowNs);
  }

  @Override
  public void followRates(TunnelPaths before, long nowNs) {
    if (before instanceof DialledPaths dialled) {
      paths.followRates(dialled.paths, nowNs);
    }
  }

  @Override
  public void end() {
    paths.end();
  }

  @Override
  public void peers(Remotes to, long nowNs) {
    changed();
    carriers.networkChanged();
    paths.peers(to, nowNs);
  }

  @Override
  public void linkChanged(@Nullable UsableLink before, @Nullable UsableLink now, long nowNs) {
    changed();
    carriers.networkChanged();
    paths.linkChanged(before, now, nowNs);
  }

  @Override
  public void control(ControlLine.@Nullable Connection connection, long nowNs) {
    if (connection == null) {
      carriers.controlLost(nowNs);
      if (silence != null && controlStands && hasOthers.getAsBoolean()) {
        silence.suspect(nowNs); // the SNAPT may have died
      }
    } else {
      carriers.control(connection, nowNs);
    }
    controlStands = connection != null;
  }

  /// Takes a possible change of network. With a path per link, only the links that have changed
  /// begin anew ([#linkChanged]).
  @Override
  public void networkChanged(long nowNs) {
    changed();
    carriers.networkChanged();
    if (!paths.areMany()) {
      paths.networkChanged(nowNs);
    }
  }

  @Override
  public void awake(long nowNs) {
    changed();
    carriers.networkChanged();
    paths.networkChanged(nowNs);
  }

  // What was heard on another network says nothing about this one.
  private void changed() {
    if (silence != null) {
      silence.reset();
    }
  }

  // --- what arrives

  @Override
  public void burst(long waitedNs) {
    inbound.burst(waitedNs);
  }

  @Override
  public void datagram(DevicePath by, ByteBuf content, InetSocketAddress from) {
    opened(content, by, from, inbound.arrivedNs());
  }

  @Override
  public void controlDatagram(ByteBuf datagram, long nowNs) {
    opened(datagram, null, null, nowNs);
  }

  private void opened(
      ByteBuf content, @Nullable DevicePath by, @Nullable InetSocketAddress from, long nowNs) {
    TunnelSession to = inbound.sessionOf(content);
    if (to == null) {
      return;
    }
    int offset = content.readerIndex();
    int length = content.readableBytes();
    boolean data = DatagramHeader.type(content, offset) != DatagramHeader.TYPE_PATH;
    arrivingBy = by == null ? Carrier.CONTROL : Carrier.UDP;
    int path = by == null ? 0 : by.id;
    if (to.open(content, offset, length, path, from, inbound.toHost(), nowNs).isSignOfLife()) {
      carriers.heard(arrivingBy, data, nowNs);
      if (arrivingBy == carriers.carrier()) {
        paths.liveness().heard(by, length, nowNs);
        if (silence != null && silence.heard(length)) {
          inbound.silenceChanged();
        }
      }
    }
  }

  @Override
  public void batchEnd(DevicePath by) {
    if (inbound.opened()) {
      paths.liveness().delivered(by);
    }
    inbound.drain();
  }

  @Override
  public void writable() {
    inbound.drain();
  }

  @Override
  public void probed(int path, long rttUs, double smoothedRttUs, long clockOffsetUs) {
    if (arrivingBy != carriers.carrier()) {
      return; // the datagram came on another carrier than the one in use
    }
    long nowNs = nanoTime.getAsLong();
    long smoothedNs = (long) (smoothedRttUs * 1000);
    carriers.roundTrip(smoothedNs);
    if (silence != null) {
      silence.roundTrip(smoothedNs);
    }
    if (paths.answered(path, rttUs * 1000, smoothedNs, nowNs)) {
      inbound.silenceChanged();
      listener.pathFound(nowNs);
    }
  }

  // --- what leaves

  @Override
  public DatagramSink of(int path) {
    return paths.of(path);
  }

  @Override
  public void offered(long nowNs) {
    carriers.sent(nowNs);
  }

  @Override
  public void beforeDrain(long nowNs) {
    int offered = paths.liveness().offered(nowNs);
    if (silence != null && offered > 0 && hasOthers.getAsBoolean()) {
      silence.sent(offered, nowNs);
    }
    paths.bursts().send(nowNs);
  }

  @Override
  public void afterDrain(long nowNs) {
    if (carriers.carrier() == Carrier.UDP
        && paths.bursts().isRefused()
        && !paths.liveness().isSearching()) {
      paths.networkChanged(nowNs); // there is no route to the other end now, so try again soon
    }
  }

  @Override
  public void tick(long nowNs) {
    carriers.tick(nowNs);
    Carrier by = carriers.carrier();
    if (paths.tick(by, nowNs)) {
      listener.pathDead();
    }
    if (silence != null) {
      listen(silence, by, nowNs);
    }
    if (paths.liveness().takeLastProbed()) {
      carriers.probed(nowNs);
    }
  }

  private void listen(LineSilence to, Carrier by, long nowNs) {
    switch (to.tick(nowNs)) {
      case WAIT -> {}
      case PROBE -> paths.probes().alive(by, nowNs);
      case SILENT -> {
        if (!paths.liveness().isSearching()) {
          silences++;
        }
      }
    }
  }

  @Override
  public long nextTickNs(long nowNs) {
    long next = Math.min(paths.nextTickNs(nowNs), carriers.nextTickNs());
    return silence == null ? next : Math.min(next, silence.nextTickNs());
  }

  @Override
  public Carrier carrier() {
    return carriers.carrier();
  }

  @Override
  public List<UsableLink> ranked(List<UsableLink> links) {
    return paths.carrying().ranked(links);
  }

  // --- what is shown

  @Override
  public boolean areMany() {
    return paths.areMany();
  }

  @Override
  public int findings() {
    return paths.findings();
  }

  @Override
  public List<PathStatus> status(long nowNs) {
    return paths.status(nowNs);
  }

  @Override
  public @Nullable PathStatus published(int id) {
    return paths.published().of(id);
  }

  @Override
  public String name(int id) {
    DevicePath path = paths.find(id);
    return path == null ? "" : paths.name(path);
  }

  @Override
  public Set<String> carryingLinks() {
    return paths.carrying().names();
  }

  @Override
  public InetSocketAddress peer() {
    return paths.peer();
  }

  @Override
  public boolean isSearching() {
    return paths.liveness().isSearching();
  }

  @Override
  public boolean isSilent() {
    return paths.liveness().isSearching() || silence != null && silence.isSilent();
  }

  @Override
  public boolean isSuspected() {
    return silence != null && silence.isSuspected();
  }

  @Override
  public long silences() {
    return silences;
  }

  @Override
  public boolean isDead() {
    return paths.liveness().isDead();
  }

  @Override
  public int refusedPairs() {
    return paths.sockets().refusedPairs();
  }

  @Override
  public long droppedBursts() {
    return paths.bursts().dropped();
  }

  @Override
  public long refusals() {
    return paths.bursts().refusals();
  }

  @Override
  public long watchdogs() {
    return 0; // an end that measures reads no results
  }

  @Override
  public long misled() {
    return 0; // each path has a socket of its own
  }

  @Override
  public void close() {
    paths.close();
  }
}
