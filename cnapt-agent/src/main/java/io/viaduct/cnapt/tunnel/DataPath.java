package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.classification.Application;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.links.LinkListener;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.cnapt.policy.PlacedFlow;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.host.tun.TunQueue;
import io.viaduct.tunnel.dictionary.BackgroundWork;
import io.viaduct.tunnel.dictionary.DictionaryWorker;
import io.viaduct.tunnel.dictionary.HistoryMemory;
import io.viaduct.tunnel.flow.FlowTuple;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.session.LoopMemory;
import io.viaduct.tunnel.terms.TunnelRole;
import java.net.SocketException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The data path of this host on one event loop: one TUN, and the ends of the tunnels to the SNAPTs
/// in use, or to a peer.
///
///     TUN → [TunIntake] → [TunnelEnds] (which SNAPT) → [TunnelEnd] ⇄ UDP
///     TUN ← [TunWriter] ←─────────────────────────────────┘
///
/// All methods run on that loop, unless documented otherwise.
public final class DataPath implements AutoCloseable {
  private final IoEventLoop loop;
  private final LongSupplier nanoTime;
  private final LocalEnd local;
  private final TunIntake intake;
  private final TunWriter writer;
  private final HostRefusals refusals;
  private final FlowClasses classes;
  private final TunnelRole role;
  private final LoopMemory memory;
  private final Carried carried = new Carried();
  private final DataLoop shared;
  private final TunnelEnds ends;
  private final FlowEvents events;
  private final DataCounters counters;
  private boolean closed;

  /// Opens the ends; one that answers opens its UDP sockets. Packets are carried after
  /// [TunnelEnd#install]. Flows of several ends are tied to each other, so that those that belong
  /// together have one SNAPT.
  ///
  /// @param listeners one per end; only one end that dials may have several
  /// @throws SocketException if a socket cannot be opened
  public DataPath(
      IoEventLoop loop,
      LongSupplier nanoTime,
      TunQueue tun,
      LocalEnd local,
      FlowRules rules,
      List<DataPathListener> listeners)
      throws SocketException {
    this.loop = loop;
    this.nanoTime = nanoTime;
    this.local = local;
    this.writer = new TunWriter(tun);
    this.refusals = new HostRefusals(writer);
    this.role = local.role() instanceof EndRole.Dialling ? TunnelRole.AGENT : TunnelRole.SNAPT;
    this.classes = new FlowClasses(rules.classifier(), rules.owners(), loop, role);
    this.memory =
        new LoopMemory(
            ByteBufAllocator.DEFAULT,
            new SecureRandom(),
            Ciphers::fastest,
            BackgroundWork.on(DictionaryWorker.start(), loop),
            nanoTime,
            HistoryMemory.BUDGET_BYTES);
    memory.udpSuperpackets(tun.takesUdpSuperpackets());
    this.ends = new TunnelEnds(nanoTime, memory, classes, rules.choice(), rules.policy(), refusals);
    this.events = new FlowEvents(loop, ends::all);
    classes.tell(events::classified);
    this.intake = new TunIntake(loop, nanoTime, tun, local.own(), ends);
    this.shared =
        new DataLoop(
            loop,
            nanoTime,
            memory,
            writer,
            local.admission().before(writer),
            classes,
            carried,
            refusals,
            this::begun,
            ends::stateChanged,
            () -> intake.throttle(ends.haveRoom()));
    this.counters =
        new DataCounters(intake, writer, ends, classes, refusals, memory.timerLateness());
    FlowChanges changes = ends.and(events);
    List<TunnelEnd> opened = new ArrayList<>();
    for (DataPathListener each : listeners) {
      opened.add(open(rules.policy(), changes, each));
    }
    ends.set(opened);
  }

  private void begun() {
    ends.stateChanged();
    intake.start();
  }

  private TunnelEnd open(Policy policy, FlowChanges changes, DataPathListener listener)
      throws SocketException {
    return new TunnelEnd(
        shared, role, policy, changes, listener, inbound -> paths(inbound, listener));
  }

  private TunnelPaths paths(TunnelPaths.Inbound inbound, DataPathListener listener)
      throws SocketException {
    return switch (local.role()) {
      case EndRole.Dialling dialling ->
          new DialledPaths(loop, nanoTime, local.mark(), dialling, inbound, listener);
      case EndRole.Answering answering ->
          new AnsweredPaths(loop, nanoTime, local.mark(), answering, inbound, listener);
    };
  }

  /// Sets what hears how the SNAPTs serve. Any thread may call this.
  public void tell(ServiceListener service) {
    loop.execute(() -> ends.tell(service));
  }

  /// Returns the first end: that of the only SNAPT, or of the peer.
  public TunnelEnd first() {
    return ends.first();
  }

  /// Returns all ends, in the order of their listeners.
  public List<TunnelEnd> ends() {
    return ends.all();
  }

  /// Returns the listener to the links that may be used: each of them gets a path of each end.
  public LinkListener links() {
    return new LinkDifferences(this::linkChanged);
  }

  private void linkChanged(@Nullable UsableLink before, @Nullable UsableLink now) {
    assert loop.inEventLoop() : Thread.currentThread();
    ends.all().forEach(each -> each.linkChanged(before, now));
  }

  /// Sends a probe at once, because the network may have changed. With several paths, only those of
  /// links that have changed begin anew ([#links]).
  public void networkChanged() {
    assert loop.inEventLoop() : Thread.currentThread();
    ends.all().forEach(TunnelEnd::networkChanged);
  }

  /// Starts all paths anew, each with a probe at once, because the device has slept: it may be
  /// elsewhere, and gateways may have forgotten it. Packets do not wait for the answers.
  public void awake() {
    assert loop.inEventLoop() : Thread.currentThread();
    ends.all().forEach(TunnelEnd::awake);
  }

  /// Returns the UDP port that the other end sends to; 0 for an end that dials.
  public int listensAt() {
    return first().paths() instanceof AnsweredPaths answered ? answered.port() : 0;
  }

  /// Returns the totals of carried traffic; any thread may read them.
  public Carried carried() {
    return carried;
  }

  /// Returns the events of flows, for other programs of this host.
  public FlowEvents events() {
    return events;
  }

  /// Returns the other counters of the data path; any thread may read them.
  public DataCounters counters() {
    return counters;
  }

  /// Returns the status of the data path.
  public DataStatus status() {
    assert loop.inEventLoop() : Thread.currentThread();
    return DataStatus.of(ends.all(), carried, refusals, nanoTime.getAsLong());
  }

  /// Returns the status of each path to each SNAPT. Must be called on the loop.
  public List<PathStatus> paths() {
    assert loop.inEventLoop() : Thread.currentThread();
    long nowNs = nanoTime.getAsLong();
    return ends.all().stream().flatMap(each -> each.pathStatus(nowNs).stream()).toList();
  }

  /// Explains the paths of the flows that are meant. Must be called on the loop.
  public ExplainedFlow.Answer explain(FlowFilter filter) {
    assert loop.inEventLoop() : Thread.currentThread();
    return FlowAnswers.of(
        ends, filter, refusals.status(nanoTime.getAsLong()), nanoTime.getAsLong());
  }

  /// Returns the SNAPT that a flow has, or would have if it began now. Must be called on the loop.
  public PlacedFlow place(FlowTuple flow, Application application) {
    assert loop.inEventLoop() : Thread.currentThread();
    return ends.place(flow, application, nanoTime.getAsLong());
  }

  /// Uses another table for new flows; open flows keep their class. Must be called on the loop.
  public void classify(Classifier next) {
    classes.use(next);
  }

  /// Distributes flows over paths by other rules from now on. Must be called on the loop.
  public void distribute(Policy next) {
    ends.distribute(next);
    ends.all().forEach(each -> each.distribute(next));
  }

  /// Sends the SNAPTs the last statistics of the flows, and stops. Must be called from outside the
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
    ends.all().forEach(TunnelEnd::close);
    memory.close();
    refusals.close();
    intake.close();
  }
}
