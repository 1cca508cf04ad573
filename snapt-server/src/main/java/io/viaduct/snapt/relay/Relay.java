package io.viaduct.snapt.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.viaduct.host.udp.UdpSettings;
import io.viaduct.host.udp.UdpSockets;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionCarrier;
import io.viaduct.snapt.metering.IntervalUsage;
import io.viaduct.snapt.metering.SessionMeter;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.AddressTranslation;
import io.viaduct.snapt.policy.AccountRates;
import io.viaduct.snapt.policy.EgressPolicy;
import io.viaduct.tunnel.history.DictionaryWorker;
import io.viaduct.tunnel.history.HistoryMemory;
import io.viaduct.tunnel.session.ControlLine;
import io.viaduct.tunnel.session.SessionTotals;
import io.viaduct.tunnel.session.TunnelSettings;
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

/// The data path. A packet's way, each step on the event loop of its session:
///
///     up:   1 UDP socket (steered by the receiver index) → [RelayLoop#datagram]
///           2 tunnel: replay, tag, decompression, headers → [RelayedSession#packet] → translation
///           3 [RelayLoop#toTun] → kernel: forwarding, masquerading → Internet
///     or 1 the session's control connection, while UDP is blocked → [RelayLoop#onControlDatagrams]
///     down: 1 TUN queue (chosen by the kernel's flow hash) → [RelayLoop#packet] → slot → session
///           1a of another loop: copied into its bounded hand-over queue
///           2 translation → flow → tunnel: queues by class, compound, seal → [UdpSender#send]
///           3 UDP socket → the session's binding; or [ControlLine] → its control connection
///
/// The meter looks at the flows' counters twice a second, those of sessions that carry something
/// every 50 ms, and when an interval ends; no packet passes through it.
public final class Relay implements SessionCarrier, AutoCloseable {
  /// Which byte of a datagram chooses the socket: the last of the receiver index.
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
  private @Nullable UdpSockets sockets;

  /// @param epoch start counter of the SNAPT
  /// @param interval of the reports
  /// @param historyBudgetBytes what the histories of one loop may hold together
  /// @param policy what devices may reach
  /// @param accountBitsPerSecond of each account and direction; 0: no limit
  public record Settings(
      String snaptId,
      long epoch,
      Duration interval,
      TunnelSettings tunnel,
      long historyBudgetBytes,
      UdpSettings udp,
      EgressPolicy policy,
      long accountBitsPerSecond) {}

  /// Takes what the data path has to say; called on event loops, must not block.
  public interface Listener {
    /// What has changed in open intervals: of each session the lines of the flows that did.
    ///
    /// @param taken run, on any thread, when the listener has them: more only comes afterwards
    void onProgress(List<IntervalUsage> changes, Runnable taken);

    /// An interval has ended.
    void onInterval(IntervalUsage usage);
  }

  /// @param eventLoops of an `EpollIoHandler`; a power of two of them
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
    this.nanoClock = nanoClock;
    this.clock = clock;
    this.listener = listener;
    this.rates = new AccountRates(settings.accountBitsPerSecond());
    this.receivers = new AtomicIntegerArray(pool.slots());
    for (int slot = 0; slot < pool.slots(); slot++) {
      receivers.setPlain(slot, NOBODY);
    }
    for (IoEventLoop loop : eventLoops) {
      loops.add(new RelayLoop(this, loop));
    }
    this.counters = loops.stream().map(RelayLoop::counters).toList();
  }

  /// Begins to receive.
  ///
  /// @param ports one per loop; whoever opened them closes them after this object
  /// @param eventLoops the same as before
  /// @return where datagrams arrive
  public InetSocketAddress start(List<InternetPort> ports, List<? extends IoEventLoop> eventLoops)
      throws SocketException {
    UdpSockets bound =
        UdpSockets.bind(eventLoops, settings.udp().steerByOffset(STEERING_BYTE), loops::get);
    sockets = bound;
    for (int i = 0; i < loops.size(); i++) {
      loops.get(i).start(bound.sockets().get(i), ports.get(i));
    }
    return bound.address();
  }

  long historyBudgetBytes() {
    return settings.historyBudgetBytes();
  }

  EgressPolicy policy() {
    return settings.policy();
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
          new AddressTranslation(pool, session.slot(), session.terms().inner());
      RelayedSession relayed = new RelayedSession(loop, session, translation, settings.tunnel());
      loop.onCarry(relayed);
      receivers.set(session.slot(), session.receiverIndex());
    });
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
    // The slot may have its next session already; only our own entry is taken back.
    receivers.compareAndSet(session.slot(), session.receiverIndex(), NOBODY);
    loop.execute(() -> {
      receivers.compareAndSet(session.slot(), session.receiverIndex(), NOBODY);
      RelayedSession relayed = loop.find(session.receiverIndex());
      if (relayed != null) {
        loop.onEnd(relayed);
      }
    });
  }

  RelayLoop loopOf(int receiverIndex) {
    return loops.get(receiverIndex & loops.size() - 1);
  }

  /// The receiver index of the session that an IP packet is addressed to, −1 if there is none.
  int receiverOf(ByteBuf packet, int ip, int length) {
    int slot =
        length < AddressTranslation.headerLength(packet, ip)
            ? -1
            : pool.slotOfDestination(packet, ip);
    return slot < 0 ? NOBODY : receivers.get(slot);
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

  ByteBufAllocator allocator() {
    return ByteBufAllocator.DEFAULT;
  }

  SessionMeter meter(Session session, SessionTotals totals, long nowNs) {
    return new SessionMeter(settings.snaptId(), settings.epoch(), session, totals, nowMs(), nowNs);
  }

  void onProgress(List<IntervalUsage> changes, Runnable taken) {
    listener.onProgress(changes, taken);
  }

  void onInterval(IntervalUsage usage) {
    listener.onInterval(usage);
  }

  /// What each loop has carried and refused; any thread.
  public List<TrafficCounters> counters() {
    return counters;
  }

  /// What each loop's histories hold and count; any thread, which may lag.
  public List<HistoryMemory> histories() {
    return loops.stream().map(loop -> loop.memory().history()).toList();
  }

  /// How late the timers of the slowest loop fire, in seconds; any thread, which may lag.
  public double timerLateness() {
    return loops.stream()
        .mapToDouble(loop -> loop.memory().timerLateness().boundSeconds())
        .max()
        .orElse(0);
  }

  /// How often a session's checkpoint had to wait 50 ms more; any thread.
  public long late() {
    return loops.stream().mapToLong(loop -> loop.counters().late()).sum();
  }

  /// The sessions as they are, asked of each loop.
  public CompletableFuture<List<SessionStatus>> status() {
    List<CompletableFuture<List<SessionStatus>>> answers = new ArrayList<>();
    for (RelayLoop loop : loops) {
      CompletableFuture<List<SessionStatus>> answer = new CompletableFuture<>();
      answers.add(answer);
      loop.execute(() -> answer.complete(loop.sessions().stream().map(SessionStatus::of).toList()));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(_ -> answers.stream().flatMap(answer -> answer.join().stream()).toList());
  }

  /// Ends every session, then closes the sockets; returns when that is done.
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
