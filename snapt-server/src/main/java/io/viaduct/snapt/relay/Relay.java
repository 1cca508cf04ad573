package io.viaduct.snapt.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.viaduct.host.udp.UdpSettings;
import io.viaduct.host.udp.UdpSockets;
import io.viaduct.snapt.binding.Arrival;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionCarrier;
import io.viaduct.snapt.credit.CreditLine;
import io.viaduct.snapt.metering.IntervalUsage;
import io.viaduct.snapt.metering.SessionMeter;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.AddressTranslation;
import io.viaduct.snapt.napt.SharedAddresses;
import io.viaduct.snapt.policy.AccountRates;
import io.viaduct.snapt.policy.EgressPolicy;
import io.viaduct.snapt.policy.TunnelPorts;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.control.v1.LineRate;
import io.viaduct.tunnel.dictionary.DictionaryWorker;
import io.viaduct.tunnel.dictionary.HistoryMemory;
import io.viaduct.tunnel.metering.SessionTotals;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.wire.IpPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The data path of the SNAPT. A packet takes these steps, each on the event loop of its session:
///
///     up:   1 UDP socket (steered by the receiver index) → [RelayLoop#datagram]
///           2 tunnel: replay, tag, decompression, headers → [Uplink#packet] → translation
///           3 [InternetWriter#write] → kernel: forwarding, masquerading → Internet
///     or 1 the session's control connection, while UDP is blocked → [RelayLoop#onControlDatagrams]
///     down: 1 TUN queue (chosen by the kernel's flow hash) → [RelayLoop#packet] → slot → session
///           1a of another loop: copied into its bounded hand-over queue
///           2 translation → tunnel: flow, queues by class, compound, seal → [UdpSender#send]
///           3 UDP socket → the session's binding; or [ControlLine] → its control connection
///     turned: a packet from one session to another by the address that they share goes up, through
///           the kernel, back by 1 of down, through the kernel again, and down ([Hairpin])
///
/// No packet passes through the meter. It reads the flows' counters twice a second and at the end of an interval. For sessions with traffic, it reads them every 50 ms.
public final class Relay implements SessionCarrier, AutoCloseable {
  /// Offset of the byte that selects the socket of a datagram: the last byte of the receiver index.
  private static final int STEERING_BYTE = 3;

  private static final int NOBODY = -1;

  private final Settings settings;
  private final AddressPool pool;
  private final LongSupplier nanoClock;
  private final InstantSource clock;
  private final Listener listener;
  private final Executor dictionaries = DictionaryWorker.start();
  private final List<RelayLoop> loops = new ArrayList<>();
  private final AccountRates rates;
  private final List<TrafficCounters> counters; // meters hold it weakly
  // Slot → receiver index. Written by the control thread and the session's loop, read by all loops.
  private final AtomicIntegerArray receivers;
  private final ForeignAddresses foreign = new ForeignAddresses();
  private final Neighbours neighbours;
  private volatile SharedAddresses shared;
  private @Nullable UdpSockets sockets;

  /// @param epoch start counter of the SNAPT
  /// @param interval length of a reporting interval
  /// @param lossPercentMax largest share of a flow's bytes, in percent, that a device may report as
  ///   lost
  /// @param historyBudgetBytes limit, in bytes, of all compression histories of one loop together
  /// @param policy rules for the destinations that devices may reach
  /// @param accountBitsPerSecond rate limit of each account in each direction; 0 means no limit
  /// @param credit carries the requests of credit control
  public record Settings(
      String snaptId,
      long epoch,
      Duration interval,
      int lossPercentMax,
      TunnelSettings tunnel,
      long historyBudgetBytes,
      UdpSettings udp,
      EgressPolicy policy,
      long accountBitsPerSecond,
      CreditLine credit) {}

  /// Receives usage from the data path. Called on event loops; must not block.
  public interface Listener {
    /// Receives the changes of open intervals: for each session, the usage of its changed flows.
    ///
    /// @param taken must be run, on any thread, when the listener has stored the changes; the loop
    ///   passes no further changes before that
    void onProgress(List<IntervalUsage> changes, Runnable taken);

    /// Receives the usage of an interval that has ended.
    void onInterval(IntervalUsage usage);

    /// Receives a change of the credit of a session's account.
    void onCredit(Session session, CreditNotice notice);

    /// Called when a device should know the rate of its line.
    void onLineRate(Session session, LineRate rate);

    /// Called when the device of a session that another SNAPT has handed over can be reached for
    /// the first time.
    default void onBound(Session session) {}

    /// Called when the datagrams of a session come from another address.
    default void onMoved(Session session) {}
  }

  /// @param eventLoops loops of an `EpollIoHandler`; their number must be a power of two
  /// @param nanoClock `System.nanoTime` in production
  public Relay(
      Settings settings,
      AddressPool pool,
      List<? extends IoEventLoop> eventLoops,
      LongSupplier nanoClock,
      InstantSource clock,
      Listener listener) {
    if (Integer.bitCount(eventLoops.size()) != 1) {
      throw new IllegalArgumentException(
          "the number of event loops must be a power of two, got " + eventLoops.size());
    }
    this.settings = settings;
    this.pool = pool;
    this.neighbours = new Neighbours(pool);
    this.nanoClock = nanoClock;
    this.clock = clock;
    this.listener = listener;
    this.rates = new AccountRates(settings.accountBitsPerSecond());
    this.shared = SharedAddresses.none(pool);
    this.receivers = new AtomicIntegerArray(pool.slots());
    for (int slot = 0; slot < pool.slots(); slot++) {
      receivers.setPlain(slot, NOBODY);
    }
    for (IoEventLoop loop : eventLoops) {
      loops.add(new RelayLoop(this, loop));
    }
    this.counters = loops.stream().map(RelayLoop::counters).toList();
  }

  /// Opens the UDP sockets and starts to receive.
  ///
  /// @param ports one per loop; the caller closes them after this object
  /// @param eventLoops the loops that were passed to the constructor
  /// @return the address that datagrams are received on
  public InetSocketAddress start(List<InternetPort> ports, List<? extends IoEventLoop> eventLoops)
      throws SocketException {
    UdpSockets bound =
        UdpSockets.bind(eventLoops, settings.udp().steerByOffset(STEERING_BYTE), loops::get);
    sockets = bound;
    settings.policy().tunnels().port(bound.address().getPort());
    for (int i = 0; i < loops.size(); i++) {
      loops.get(i).start(bound.sockets().get(i), ports.get(i));
    }
    return bound.address();
  }

  long historyBudgetBytes() {
    return settings.historyBudgetBytes();
  }

  /// Sets the public addresses that the sessions share; any thread may call this.
  public void share(SharedAddresses addresses) {
    shared = addresses;
  }

  /// Returns the public addresses that the sessions share.
  public SharedAddresses shared() {
    return shared;
  }

  EgressPolicy policy() {
    return settings.policy();
  }

  Neighbours neighbours() {
    return neighbours;
  }

  /// Joins the other SNAPTs of the group: their sessions may relay those of this one, and the other
  /// way round. Called before the first session.
  public void members(MemberAccounts accounts) {
    neighbours.members(accounts);
  }

  /// Sets the ends of the tunnels of the other members; called on one thread.
  public void memberTunnels(List<TunnelPorts.Member> ports) {
    settings.policy().tunnels().members(ports);
  }

  /// Returns the account of the session here that has a public address, null if there is none. Any
  /// thread may call this.
  public @Nullable String accountOf(InetAddress address) {
    return neighbours.accountHere(address);
  }

  CreditLine credit() {
    return settings.credit();
  }

  AccountRates rates() {
    return rates;
  }

  Executor dictionaryWorker() {
    return dictionaries;
  }

  @Override
  public int loops() {
    return loops.size();
  }

  @Override
  public void carry(Session session) {
    RelayLoop loop = loopOf(session.receiverIndex());
    loop.execute(() -> {
      AddressTranslation translation =
          new AddressTranslation(pool, session.address(), session.terms().inner());
      RelayedSession relayed = new RelayedSession(loop, session, translation, settings.tunnel());
      loop.onCarry(relayed);
      neighbours.begin(session);
      Arrival arrival = session.arrival();
      if (arrival != null) {
        relayed.restore(arrival.carried(), nowNs());
      }
      if (session.slot() < 0) {
        foreign.put(session.address(), session.receiverIndex());
      } else {
        receivers.set(session.slot(), session.receiverIndex());
      }
    });
  }

  @Override
  public void onceCarried(Session session, Runnable then) {
    loopOf(session.receiverIndex()).execute(then); // behind the work of #carry
  }

  /// Collects the open flows of a session, those of the newest packets first, and the rates of its
  /// links.
  ///
  /// @param most how many flows
  /// @return nothing if the session has ended
  public CompletableFuture<Arrival.Carried> carriedBy(Session session, int most) {
    RelayLoop loop = loopOf(session.receiverIndex());
    return CompletableFuture.supplyAsync(
        () -> {
          RelayedSession relayed = loop.find(session.receiverIndex());
          return relayed == null || relayed.session() != session
              ? Arrival.Carried.NOTHING
              : new Arrival.Carried(relayed.openFlows(most), relayed.linkRates());
        },
        loop::execute);
  }

  @Override
  public void control(Session session, ControlLine.@Nullable Connection connection) {
    RelayLoop loop = loopOf(session.receiverIndex());
    loop.execute(() -> {
      RelayedSession relayed = loop.find(session.receiverIndex());
      if (relayed != null && relayed.session() == session) {
        loop.onControl(relayed, connection);
      }
    });
  }

  @Override
  public void datagrams(Session session, List<ByteBuf> datagrams, Runnable taken) {
    RelayLoop loop = loopOf(session.receiverIndex());
    loop.execute(() -> {
      loop.onControlDatagrams(session, datagrams);
      taken.run();
    });
  }

  @Override
  public void end(Session session) {
    RelayLoop loop = loopOf(session.receiverIndex());
    // The slot may already belong to a new session, so only this session's entry is removed.
    forget(session);
    loop.execute(() -> {
      forget(session);
      RelayedSession relayed = loop.find(session.receiverIndex());
      if (relayed != null) {
        loop.onEnd(relayed);
      }
    });
  }

  private void forget(Session session) {
    neighbours.end(session);
    if (session.slot() < 0) {
      foreign.remove(session.address(), session.receiverIndex());
    } else {
      receivers.compareAndSet(session.slot(), session.receiverIndex(), NOBODY);
    }
  }

  RelayLoop loopOf(int receiverIndex) {
    return loops.get(receiverIndex & loops.size() - 1);
  }

  /// Returns the receiver index of the session that an IP packet is addressed to, or −1 if there is
  /// none.
  int receiverOf(IpPacket packet) {
    if (packet.length() < AddressTranslation.headerLength(packet)) {
      return NOBODY;
    }
    int slot = pool.slotOfDestination(packet);
    int receiver = slot < 0 ? NOBODY : receivers.get(slot);
    // A member may hand back an address of the pool that is reserved here now.
    return receiver == NOBODY ? foreign.receiverOf(packet) : receiver;
  }

  long nowNs() {
    return nanoClock.getAsLong();
  }

  long nowMs() {
    return clock.millis();
  }

  long intervalNs() {
    return settings.interval().toNanos();
  }

  AddressPool pool() {
    return pool;
  }

  ByteBufAllocator allocator() {
    return ByteBufAllocator.DEFAULT;
  }

  SessionMeter meter(Session session, SessionTotals totals, long nowNs) {
    return new SessionMeter(
        settings.snaptId(),
        settings.epoch(),
        settings.lossPercentMax(),
        session,
        totals,
        nowMs(),
        nowNs);
  }

  void onProgress(List<IntervalUsage> changes, Runnable taken) {
    listener.onProgress(changes, taken);
  }

  void onInterval(IntervalUsage usage) {
    listener.onInterval(usage);
  }

  void onLineRate(Session session, LineRate rate) {
    listener.onLineRate(session, rate);
  }

  void onCredit(Session session, CreditNotice notice) {
    listener.onCredit(session, notice);
  }

  void onBound(Session session) {
    listener.onBound(session);
  }

  void onMoved(Session session) {
    listener.onMoved(session);
  }

  /// Returns the traffic counters of each loop; any thread may call this.
  public List<TrafficCounters> counters() {
    return counters;
  }

  /// Returns the memory of each loop's compression histories. Any thread may call this; the values
  /// may be slightly old.
  public List<HistoryMemory> histories() {
    return loops.stream().map(loop -> loop.memory().history()).toList();
  }

  /// Returns the timer lateness of the slowest loop, in seconds. Any thread may call this; the
  /// value may be slightly old.
  public double timerLateness() {
    return loops.stream()
        .mapToDouble(loop -> loop.memory().timerLateness().boundSeconds())
        .max()
        .orElse(0);
  }

  /// Returns how many times a session's checkpoint was delayed by another 50 ms; any thread may
  /// call this.
  public long late() {
    return loops.stream().mapToLong(loop -> loop.counters().late()).sum();
  }

  /// Collects the current state of all sessions from the loops.
  public CompletableFuture<List<SessionStatus>> status() {
    List<CompletableFuture<List<SessionStatus>>> answers = new ArrayList<>();
    for (RelayLoop loop : loops) {
      CompletableFuture<List<SessionStatus>> answer = new CompletableFuture<>();
      answers.add(answer);
      loop.execute(() ->
          answer.complete(
              loop.sessions().stream().map(each -> SessionStatus.of(each, nowNs())).toList()));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(_ -> answers.stream().flatMap(answer -> answer.join().stream()).toList());
  }

  /// Ends every session, then closes the sockets. Blocks until that is done.
  @Override
  public void close() {
    List<CompletableFuture<Void>> closing = new ArrayList<>();
    for (RelayLoop loop : loops) {
      closing.add(CompletableFuture.runAsync(loop::close, loop::execute));
    }
    CompletableFuture.allOf(closing.toArray(CompletableFuture[]::new)).join();
    if (sockets != null) {
      sockets.close();
    }
  }
}
