package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.cnapt.links.LinkListener;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.mobility.MobilitySettings;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.host.tun.TunQueue;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.dictionary.BackgroundWork;
import io.viaduct.tunnel.dictionary.DictionaryWorker;
import io.viaduct.tunnel.dictionary.HistoryMemory;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.session.LoopMemory;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.wire.DatagramHeader;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The data path of the device, in both directions, on one event loop:
///
///     up    TUN → offer ([TunIntake]) → (flow, class, compound, seal) → drain → UDP
///     down  UDP → receiver → open → (verify, inflate, restore) → TUN
///
/// While a network blocks UDP, the control connection carries the datagrams ([CarrierSwitch]). All methods run on that loop, unless documented otherwise.
public final class DataPath implements AutoCloseable {
  private final IoEventLoop loop;
  private final LongSupplier nanoTime;
  private final TunIntake intake;
  private final TunWriter writer;
  private final FlowClasses classes;
  private final FlowRoutes routes;
  private final DevicePaths paths;
  private final CarrierSwitch carriers;
  private final DataPathListener listener;
  private final LoopMemory memory;
  private final Carried carried = new Carried();
  private @Nullable TunnelSession session;
  private @Nullable SessionCounter counter;
  private Carrier arrivingBy = Carrier.UDP;
  private int ownReceiverIndex;
  private long arrivedNs;
  private long armedNs = Long.MAX_VALUE;
  private boolean closed;

  /// Opens the UDP socket. Packets are carried after [#install].
  ///
  /// @param mark SO_MARK of the socket
  /// @throws SocketException if the socket cannot be opened
  public DataPath(
      IoEventLoop loop,
      LongSupplier nanoTime,
      TunQueue tun,
      int mark,
      Classifier classifier,
      Policy policy,
      OwnerLookup owners,
      MobilitySettings mobility,
      DataPathListener listener)
      throws SocketException {
    this.loop = loop;
    this.nanoTime = nanoTime;
    this.writer = new TunWriter(tun);
    this.classes = new FlowClasses(classifier, owners, loop);
    this.intake = new TunIntake(loop, nanoTime, tun, writer, new Uplink());
    this.paths = new DevicePaths(loop, mark, mobility, new Downlink(), listener);
    this.routes = new FlowRoutes(policy, paths);
    this.listener = listener;
    this.memory =
        new LoopMemory(
            ByteBufAllocator.DEFAULT,
            new SecureRandom(),
            Ciphers::fastest,
            BackgroundWork.on(DictionaryWorker.start(), loop),
            nanoTime,
            HistoryMemory.BUDGET_BYTES);
    memory.udpSuperpackets(tun.takesUdpSuperpackets());
    this.carriers =
        new CarrierSwitch(
            loop,
            () -> drain(nanoTime.getAsLong()),
            mobility,
            paths,
            listener,
            nanoTime.getAsLong());
  }

  /// Installs the session of a Welcome, and starts to carry packets with its keys.
  public void install(SessionParameters parameters) {
    assert loop.inEventLoop() : Thread.currentThread();
    endSession();
    long nowNs = nanoTime.getAsLong();
    TunnelSession begun =
        new TunnelSession(
            TunnelRole.AGENT,
            parameters.terms(),
            parameters.settings(),
            memory,
            new FlowObserver(classes, routes),
            new Path(),
            nowNs);
    parameters.terms().secret().wipe();
    session = begun;
    counter = new SessionCounter(begun, parameters.counts(), nowNs);
    carried.begin(begun);
    ownReceiverIndex = parameters.ownReceiverIndex();
    carriers.begin(begun, nowNs);
    paths.begin(begun, parameters.peers(), nowNs);
    routes.begin(begun);
    intake.begin(begun, parameters.settings().classQueueBytes());
    tick();
  }

  /// Changes the SNAPT's addresses within the same session. Paths to an address that stays go on.
  public void peersMoved(Remotes peers) {
    assert loop.inEventLoop() : Thread.currentThread();
    carriers.networkChanged();
    paths.peers(peers, nanoTime.getAsLong());
    tick();
  }

  /// Returns the listener to the links that may be used: each of them gets a path.
  public LinkListener links() {
    return new LinkDifferences(this::linkChanged);
  }

  /// Returns links in the order in which the control connection should try them: those by which the
  /// SNAPT answers first, spare ones last. Any thread may call this.
  public List<UsableLink> ranked(List<UsableLink> links) {
    return paths.ranked(links);
  }

  private void linkChanged(@Nullable UsableLink before, @Nullable UsableLink now) {
    assert loop.inEventLoop() : Thread.currentThread();
    carriers.networkChanged();
    paths.linkChanged(before, now, nanoTime.getAsLong());
    tick();
  }

  /// Sets the session's control connection, which may carry datagrams.
  public void control(ControlLine.Connection connection) {
    assert loop.inEventLoop() : Thread.currentThread();
    carriers.control(connection, nanoTime.getAsLong());
    tick();
  }

  /// Removes the control connection, because it is lost.
  public void controlLost() {
    assert loop.inEventLoop() : Thread.currentThread();
    carriers.controlLost(nanoTime.getAsLong());
    tick();
  }

  /// Opens and releases datagrams that arrived in the control connection.
  public void controlDatagrams(List<ByteBuf> datagrams) {
    assert loop.inEventLoop() : Thread.currentThread();
    long nowNs = nanoTime.getAsLong();
    memory.socketWaitNs(0);
    for (ByteBuf datagram : datagrams) {
      opened(datagram, null, null, nowNs);
      datagram.release();
    }
    downBatchEnd(null);
  }

  /// Sends a probe at once, because the network may have changed. With a path per link, only the
  /// links that have changed begin anew ([#links]).
  public void networkChanged() {
    assert loop.inEventLoop() : Thread.currentThread();
    carriers.networkChanged();
    if (!paths.areMany()) {
      paths.networkChanged(nanoTime.getAsLong());
    }
    tick();
  }

  /// Starts all paths anew, each with a probe at once, because the device has slept: it may be
  /// elsewhere, and gateways may have forgotten it. Packets do not wait for the answers.
  public void awake() {
    assert loop.inEventLoop() : Thread.currentThread();
    carriers.networkChanged();
    paths.networkChanged(nanoTime.getAsLong());
    tick();
  }

  private final class Uplink implements TunIntake.Next {
    @Override
    public void offered(int length, long nowNs) {
      carriers.sent(nowNs);
    }

    @Override
    public void drain(long nowNs) {
      DataPath.this.drain(nowNs);
    }
  }

  private final class Downlink implements DevicePath.Receiver {
    @Override
    public void burst(long waitedNs) {
      arrivedNs = nanoTime.getAsLong();
      memory.socketWaitNs(waitedNs);
    }

    @Override
    public void datagram(DevicePath by, ByteBuf content, InetSocketAddress from) {
      opened(content, by, from, arrivedNs);
    }

    @Override
    public void batchEnd(DevicePath by) {
      downBatchEnd(by);
    }

    @Override
    public void writable() {
      drain(nanoTime.getAsLong());
    }
  }

  /// Opens a datagram.
  ///
  /// @param by null if it came by the control connection, as is `from`
  private void opened(
      ByteBuf content, @Nullable DevicePath by, @Nullable InetSocketAddress from, long nowNs) {
    TunnelSession to = session;
    int offset = content.readerIndex();
    int length = content.readableBytes();
    int index = DatagramHeader.receiverIndex(content, offset, length);
    if (to == null || (index >= 0 && index != ownReceiverIndex)) {
      carried.unknownReceiver();
      return;
    }
    boolean data = DatagramHeader.type(content, offset) != DatagramHeader.TYPE_PATH;
    arrivingBy = by == null ? Carrier.CONTROL : Carrier.UDP;
    int path = by == null ? 0 : by.id;
    if (to.open(content, offset, length, path, from, writer, nowNs).isSignOfLife()) {
      carriers.heard(arrivingBy, data, nowNs);
      if (arrivingBy == carriers.carrier()) {
        paths.heard(by, length, nowNs);
      }
    }
  }

  private void downBatchEnd(@Nullable DevicePath by) {
    TunnelSession to = session;
    if (to != null) {
      long nowNs = nanoTime.getAsLong();
      to.openBatchEnd(nowNs);
      if (writer.takeDelivered()) {
        paths.delivered(by);
      }
      drain(nowNs);
    }
  }

  private void drain(long nowNs) {
    TunnelSession from = session;
    if (from == null) {
      return;
    }
    paths.noteOffered(nowNs);
    paths.sendWaiting(nowNs);
    from.drain(paths, nowNs);
    count(nowNs);
    if (carriers.carrier() == Carrier.UDP && paths.isRefused() && !paths.isSearching()) {
      paths.networkChanged(nowNs); // there is no route to the SNAPT now, so try again soon
    }
    intake.throttle(from);
    arm(nowNs);
  }

  private void count(long nowNs) {
    SessionCounter of = counter;
    if (of != null) {
      of.note(nowNs);
    }
  }

  private void tick() {
    TunnelSession of = session;
    if (of == null) {
      return;
    }
    long nowNs = nanoTime.getAsLong();
    of.onTick(nowNs);
    carriers.tick(nowNs);
    Carrier by = carriers.carrier();
    if (paths.tick(by, nowNs)) {
      listener.pathDead();
    }
    if (paths.takeLastProbed()) {
      carriers.probed(nowNs);
    }
    drain(nowNs);
  }

  private void arm(long nowNs) {
    TunnelSession of = session;
    if (of == null || closed) {
      return;
    }
    long due =
        Math.min(of.nextDeadlineNs(), Math.min(paths.nextTickNs(nowNs), carriers.nextTickNs()));
    if (due < armedNs) {
      armedNs = due;
      loop.schedule(() -> fired(due), Math.max(0, due - nowNs), TimeUnit.NANOSECONDS);
    }
  }

  private void fired(long due) {
    if (due == armedNs) {
      armedNs = Long.MAX_VALUE;
      memory.timerLateness().fired(nanoTime.getAsLong() - due);
      tick();
    }
  }

  private final class Path implements PathListener {
    @Override
    public void probed(int path, long rttUs, double smoothedRttUs, long clockOffsetUs) {
      if (arrivingBy != carriers.carrier()) {
        return; // the datagram came on another carrier than the one in use
      }
      long nowNs = nanoTime.getAsLong();
      long smoothedNs = (long) (smoothedRttUs * 1000);
      carriers.roundTrip(smoothedNs);
      if (paths.answered(path, rttUs * 1000, smoothedNs, nowNs)) {
        listener.pathFound(nowNs);
      }
    }
  }

  private void endSession() {
    TunnelSession ended = session;
    if (ended == null) {
      return;
    }
    count(nanoTime.getAsLong());
    session = null;
    counter = null;
    intake.end();
    carried.retire();
    paths.end();
    ended.close();
  }

  /// Returns the totals of carried traffic; any thread may read them.
  public Carried carried() {
    return carried;
  }

  /// Returns the other counters of the data path; any thread may read them.
  public DataCounters counters() {
    return new DataCounters(intake, writer, paths, classes, memory.timerLateness());
  }

  /// Returns the status of the data path.
  public DataStatus status() {
    assert loop.inEventLoop() : Thread.currentThread();
    return DataStatus.of(session, paths, carriers.carrier(), carried, nanoTime.getAsLong());
  }

  /// Uses another table for new flows; open flows keep their class. Must be called on the loop.
  public void classify(Classifier next) {
    classes.use(next);
  }

  /// Distributes flows over paths by other rules from now on. Must be called on the loop.
  public void distribute(Policy next) {
    routes.use(next, nanoTime.getAsLong());
  }

  /// Sends the SNAPT the last statistics of the flows, and stops. Must be called from outside the
  /// loop; blocks until done.
  @Override
  public void close() {
    if (!loop.inEventLoop()) {
      loop.submit(this::close).syncUninterruptibly();
      return;
    }
    if (closed) {
      return;
    }
    closed = true;
    TunnelSession of = session;
    if (of != null) {
      long nowNs = nanoTime.getAsLong();
      of.queueFinalStats(nowNs);
      of.flushBatch(nowNs);
      drain(nowNs);
    }
    endSession();
    paths.close();
    memory.close();
    intake.close();
  }
}
