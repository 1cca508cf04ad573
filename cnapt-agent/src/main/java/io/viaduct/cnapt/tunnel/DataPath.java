package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.cnapt.links.LinkListener;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.host.tun.TunQueue;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.dictionary.BackgroundWork;
import io.viaduct.tunnel.dictionary.DictionaryWorker;
import io.viaduct.tunnel.dictionary.HistoryMemory;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.session.LoopMemory;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.wire.DatagramHeader;
import java.net.SocketException;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The data path of this host, in both directions, on one event loop:
///
///     up    TUN → offer ([TunIntake]) → (flow, class, compound, seal) → drain → UDP
///     down  UDP → receiver → open → (verify, inflate, restore) → TUN
///
/// While a network blocks UDP, the control connection carries the datagrams ([TunnelPaths]). All methods run on that loop, unless documented otherwise.
public final class DataPath implements AutoCloseable {
  private final IoEventLoop loop;
  private final LongSupplier nanoTime;
  private final TunIntake intake;
  private final TunWriter writer;
  private final FlowClasses classes;
  private final FlowRoutes routes;
  private final TunnelPaths paths;
  private final TunnelRole role;
  private final InnerPacketSink toHost;
  private final LoopMemory memory;
  private final Carried carried = new Carried();
  private @Nullable TunnelSession session;
  private @Nullable SessionCounter counter;
  private int ownReceiverIndex;
  private long arrivedNs;
  private long armedNs = Long.MAX_VALUE;
  private boolean closed;

  /// Opens the UDP sockets of an end that answers. Packets are carried after [#install].
  ///
  /// @param mark SO_MARK of the sockets
  /// @param end the part of this end
  /// @param admission decides which packets of the other end this host takes
  /// @throws SocketException if a socket cannot be opened
  public DataPath(
      IoEventLoop loop,
      LongSupplier nanoTime,
      TunQueue tun,
      int mark,
      Classifier classifier,
      Policy policy,
      OwnerLookup owners,
      EndRole end,
      Admission admission,
      DataPathListener listener)
      throws SocketException {
    this.loop = loop;
    this.nanoTime = nanoTime;
    this.writer = new TunWriter(tun);
    this.intake = new TunIntake(loop, nanoTime, tun, writer, new Uplink());
    this.toHost = admission.before(writer);
    this.role = end instanceof EndRole.Dialling ? TunnelRole.AGENT : TunnelRole.SNAPT;
    this.classes = new FlowClasses(classifier, owners, loop, role);
    this.memory =
        new LoopMemory(
            ByteBufAllocator.DEFAULT,
            new SecureRandom(),
            Ciphers::fastest,
            BackgroundWork.on(DictionaryWorker.start(), loop),
            nanoTime,
            HistoryMemory.BUDGET_BYTES);
    memory.udpSuperpackets(tun.takesUdpSuperpackets());
    this.paths =
        switch (end) {
          case EndRole.Dialling dialling ->
              new DialledPaths(
                  loop,
                  nanoTime,
                  mark,
                  dialling.mobility(),
                  dialling.measuring(),
                  new Inbound(),
                  listener);
          case EndRole.Answering answering ->
              new AnsweredPaths(loop, nanoTime, mark, answering, new Inbound(), listener);
        };
    this.routes = new FlowRoutes(policy, paths);
  }

  /// Installs the session of a Welcome, and starts to carry packets with its keys.
  public void install(SessionParameters parameters) {
    assert loop.inEventLoop() : Thread.currentThread();
    endSession();
    long nowNs = nanoTime.getAsLong();
    TunnelSession begun =
        new TunnelSession(
            role,
            parameters.terms(),
            parameters.settings(),
            memory,
            new FlowObserver(classes, routes),
            paths,
            nowNs);
    parameters.terms().secret().wipe();
    session = begun;
    counter =
        parameters.counts() == null ? null : new SessionCounter(begun, parameters.counts(), nowNs);
    carried.begin(begun);
    ownReceiverIndex = parameters.ownReceiverIndex();
    paths.begin(begun, parameters.peers(), nowNs);
    routes.begin(begun);
    intake.begin(begun, parameters.settings().classQueueBytes());
    tick();
  }

  /// Changes the SNAPT's addresses within the same session. Paths to an address that stays go on.
  public void peersMoved(Remotes peers) {
    assert loop.inEventLoop() : Thread.currentThread();
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
    paths.linkChanged(before, now, nanoTime.getAsLong());
    tick();
  }

  /// Sets the session's control connection, which may carry datagrams.
  public void control(ControlLine.Connection connection) {
    assert loop.inEventLoop() : Thread.currentThread();
    paths.control(connection, nanoTime.getAsLong());
    tick();
  }

  /// Removes the control connection, because it is lost.
  public void controlLost() {
    assert loop.inEventLoop() : Thread.currentThread();
    paths.control(null, nanoTime.getAsLong());
    tick();
  }

  /// Opens and releases datagrams that arrived in the control connection.
  public void controlDatagrams(List<ByteBuf> datagrams) {
    assert loop.inEventLoop() : Thread.currentThread();
    long nowNs = nanoTime.getAsLong();
    memory.socketWaitNs(0);
    for (ByteBuf datagram : datagrams) {
      paths.controlDatagram(datagram, nowNs);
      datagram.release();
    }
    opened();
    drain(nowNs);
  }

  /// Sends a probe at once, because the network may have changed. With several paths, only those of
  /// links that have changed begin anew ([#links]).
  public void networkChanged() {
    assert loop.inEventLoop() : Thread.currentThread();
    paths.networkChanged(nanoTime.getAsLong());
    tick();
  }

  /// Starts all paths anew, each with a probe at once, because the device has slept: it may be
  /// elsewhere, and gateways may have forgotten it. Packets do not wait for the answers.
  public void awake() {
    assert loop.inEventLoop() : Thread.currentThread();
    paths.awake(nanoTime.getAsLong());
    tick();
  }

  private final class Uplink implements TunIntake.Next {
    @Override
    public void offered(int length, long nowNs) {
      paths.offered(nowNs);
    }

    @Override
    public void drain(long nowNs) {
      DataPath.this.drain(nowNs);
    }
  }

  private final class Inbound implements TunnelPaths.Inbound {
    @Override
    public void burst(long waitedNs) {
      arrivedNs = nanoTime.getAsLong();
      memory.socketWaitNs(waitedNs);
    }

    @Override
    public long arrivedNs() {
      return arrivedNs;
    }

    @Override
    public @Nullable TunnelSession sessionOf(ByteBuf datagram) {
      int index =
          DatagramHeader.receiverIndex(datagram, datagram.readerIndex(), datagram.readableBytes());
      TunnelSession to = session;
      if (to == null || (index >= 0 && index != ownReceiverIndex)) {
        carried.unknownReceiver();
        return null;
      }
      return to;
    }

    @Override
    public InnerPacketSink toHost() {
      return toHost;
    }

    @Override
    public boolean opened() {
      return DataPath.this.opened();
    }

    @Override
    public void drain() {
      DataPath.this.drain(nanoTime.getAsLong());
    }
  }

  /// Ends a batch of datagrams. @return true if it had packets for this host
  private boolean opened() {
    TunnelSession to = session;
    if (to == null) {
      return false;
    }
    to.openBatchEnd(nanoTime.getAsLong());
    return writer.takeDelivered();
  }

  private void drain(long nowNs) {
    TunnelSession from = session;
    if (from == null) {
      return;
    }
    paths.beforeDrain(nowNs);
    from.drain(paths, nowNs);
    count(nowNs);
    paths.afterDrain(nowNs);
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
    paths.tick(nowNs);
    drain(nowNs);
  }

  private void arm(long nowNs) {
    TunnelSession of = session;
    if (of == null || closed) {
      return;
    }
    long due = Math.min(of.nextDeadlineNs(), paths.nextTickNs(nowNs));
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

  /// Returns the UDP port that the other end sends to; 0 for an end that dials.
  public int listensAt() {
    return paths instanceof AnsweredPaths answered ? answered.port() : 0;
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
    return DataStatus.of(session, paths, role, paths.carrier(), carried, nanoTime.getAsLong());
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
