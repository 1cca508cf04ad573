package io.viaduct.cnapt;

import io.netty.channel.EventLoop;
import io.viaduct.cnapt.control.BridgeDirectory;
import io.viaduct.cnapt.control.ControlClient;
import io.viaduct.cnapt.control.HandshakeRace;
import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.control.SnaptClaims;
import io.viaduct.cnapt.control.SnaptOrder;
import io.viaduct.cnapt.control.SnaptWatch;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.operations.AgentStatus;
import io.viaduct.cnapt.signalling.SessionTicket;
import io.viaduct.cnapt.signalling.SignallingStatus;
import io.viaduct.cnapt.snapts.SnaptTerms;
import io.viaduct.cnapt.tunnel.DataPath;
import io.viaduct.cnapt.tunnel.DataStatus;
import io.viaduct.cnapt.tunnel.TunnelEnd;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The SNAPTs that the agent uses at a time, as many as `snapts.sessions` says: one line each.
/// There is one line more, for a stand-in ([OpenLines]). No two lines have the same SNAPT, except
/// while a session that was handed over is beside that of another line. Made by the starting
/// thread; then any thread may call the methods.
final class UsedSnapts {
  private static final int HOSTS_MAX = 8;

  private final List<SnaptLine> lines;
  private final int wanted;
  private final SnaptOrder order;
  private final BridgeDirectory bridge;
  private final LeftSnapts left = new LeftSnapts();
  private final Set<SnaptLine> alive = ConcurrentHashMap.newKeySet();
  private volatile List<String> hosts = List.of();
  private volatile List<Snapt> listed = List.of(); // in the order of the device
  private volatile boolean hasOthers; // written by the control loop
  private volatile @Nullable SnaptClaims claims; // written by the starting thread, as the next ones
  private volatile @Nullable OpenLines<SnaptLine> open;
  private volatile @Nullable LoadSpread<SnaptLine> spread; // written by the starting thread
  private volatile @Nullable SnaptWatch watch; // written by the starting thread
  // By id, of the newest grant or directory of the bridge.
  private final Map<String, SnaptTerms> terms = new ConcurrentHashMap<>();

  /// @param lines one more than wanted
  /// @param wanted number of lines that have a session in general, at least one
  /// @param order of all SNAPTs
  /// @param bridge checks the directories that SNAPTs carry
  UsedSnapts(List<SnaptLine> lines, int wanted, SnaptOrder order, BridgeDirectory bridge) {
    this.lines = List.copyOf(lines);
    this.wanted = wanted;
    this.order = order;
    this.bridge = bridge;
  }

  /// Returns the lines, in the order of the ends that [#join] needs.
  List<SnaptLine> lines() {
    return lines;
  }

  /// Sets the ends of the lines, and makes their control clients.
  ///
  /// @param clients makes the client of a line and its end
  void join(DataPath data, BiFunction<SnaptLine, TunnelEnd, ControlClient> clients) {
    for (int i = 0; i < lines.size(); i++) {
      TunnelEnd end = data.ends().get(i);
      lines.get(i).join(end, clients.apply(lines.get(i), end));
    }
  }

  /// Sets what measures the SNAPTs that no line uses: a line may be exchanged for one of them.
  void measuredBy(SnaptWatch measuring, LongSupplier nanoTime) {
    watch = measuring;
    NearerSnapts<SnaptLine> nearer =
        new NearerSnapts<>(
            lines, this::carryBeside, order::takesMore, order::priceMs, left, nanoTime);
    measuring.start(nearer::measured);
  }

  /// Lets a line more be open while no other one serves.
  ///
  /// @param race finds the SNAPT for it
  /// @param loop the control loop
  void standInBy(HandshakeRace race, SnaptClaims of, EventLoop loop) {
    claims = of;
    open = new OpenLines<>(lines, wanted, () -> listed, race::begin, loop.ticker()::nanoTime);
    lines.stream().skip(wanted).forEach(each -> each.sleep("it is not needed"));
  }

  /// Looks whether a line should be opened or closed. Called on the control loop.
  void look() {
    OpenLines<SnaptLine> deciding = open;
    SnaptClaims of = claims;
    if (deciding != null && of != null) {
      long used = lines.stream().filter(SnaptLine::hasSession).count();
      hasOthers = used + of.free(listed).size() > 1;
      deciding.look();
    }
  }

  /// Takes that a packet of this host had no SNAPT that serves. Called on the control loop.
  void unserved() {
    OpenLines<SnaptLine> deciding = open;
    if (deciding != null) {
      deciding.unserved();
    }
  }

  /// Returns whether new flows might have another SNAPT than the one in use. Any thread may call
  /// this.
  boolean haveOthers() {
    return hasOthers;
  }

  /// Returns whether other lines suffice without this one. Called on the control loop.
  boolean isSurplus(SnaptLine line) {
    OpenLines<SnaptLine> deciding = open;
    return deciding != null && deciding.isSurplus(line);
  }

  /// Takes that a line sleeps. Called on the control loop.
  void slept(SnaptLine line) {
    OpenLines<SnaptLine> deciding = open;
    if (deciding != null) {
      deciding.slept(line);
    }
  }

  /// Returns links in the order in which a SNAPT in use answers by them. Any thread may call this.
  List<UsableLink> ranked(List<UsableLink> links) {
    return lines.stream()
        .filter(SnaptLine::hasSession)
        .findFirst()
        .orElse(lines.getFirst())
        .end()
        .ranked(links);
  }

  /// Sets what the lines know of each other: a line may be exchanged for a SNAPT with less load.
  ///
  /// @param loop the control loop
  void spreadBy(SnaptClaims claims, RandomGenerator random, EventLoop loop) {
    LoadSpread<SnaptLine> spreading =
        new LoadSpread<>(lines, claims, left, random, loop.ticker()::nanoTime);
    spread = spreading;
    Runnable look =
        () -> {
          spreading.look();
          look();
        };
    var unused =
        loop.scheduleWithFixedDelay(
            look, LoadSpread.LOOK_MS, LoadSpread.LOOK_MS, TimeUnit.MILLISECONDS);
  }

  /// Returns the SNAPTs that no line uses, as far as they are measured.
  List<SnaptWatch.Watched> watched() {
    SnaptWatch measuring = watch;
    return measuring == null ? List.of() : measuring.watched();
  }

  /// Shows all SNAPTs a token.
  void present(SessionTicket ticket) {
    bridge.granted(ticket.keys());
    order.granted(ticket.ranks(), ticket.terms());
    known(order.sorted(ticket.relays()));
    if (!ticket.terms().isEmpty()) {
      terms(ticket.terms());
    }
    for (SnaptLine each : lines) {
      each.state().tokenExpires(ticket.expiresMs());
      each.control().present(ticket.token(), ticket.relays(), ticket.addresses());
    }
  }

  /// Takes what the bridge says about all SNAPTs, by id. Any thread may call this.
  void terms(Map<String, SnaptTerms> told) {
    remember(told);
    lines.forEach(this::inform);
  }

  void remember(Map<String, SnaptTerms> told) {
    terms.keySet().retainAll(told.keySet());
    terms.putAll(told);
  }

  /// Tells a line what is known about its SNAPT.
  void inform(SnaptLine line) {
    line.terms(termsOf(line));
  }

  /// Returns what is known about the SNAPT of a line. Any thread may call this.
  SnaptTerms termsOf(SnaptLine line) {
    return terms.getOrDefault(line.state().snaptId(), SnaptTerms.UNKNOWN);
  }

  /// Returns the hosts of the SNAPTs of the last list. Any thread may call this.
  List<String> hosts() {
    return hosts;
  }

  private void known(List<Snapt> now) {
    if (!now.isEmpty()) {
      listed = now;
      hosts = now.stream().map(Snapt::host).distinct().limit(HOSTS_MAX).toList();
    }
  }

  /// Tells the other lines of the list that one has got. Called on the control loop.
  void listed(SnaptLine by, List<Snapt> snapts) {
    known(snapts);
    SnaptWatch measuring = watch;
    if (measuring != null) {
      measuring.list(snapts);
    }
    others(by).forEach(each -> each.control().listed(snapts));
    LoadSpread<SnaptLine> spreading = spread;
    if (spreading != null) {
      spreading.told(snapts);
    }
    look();
  }

  /// Lets other lines connect to the SNAPT that this line may have given up.
  void lost(SnaptLine by) {
    others(by).forEach(each -> each.control().listed(List.of()));
    look();
  }

  private List<SnaptLine> others(SnaptLine than) {
    return lines.stream().filter(each -> each != than).toList();
  }

  void networkChanged() {
    lines.forEach(each -> each.control().networkChanged());
  }

  void linksChanged(List<UsableLink> now) {
    lines.forEach(each -> each.control().linksChanged(now));
  }

  /// Records whether packets pass by a line.
  ///
  /// @return whether they pass by any
  boolean alive(SnaptLine line, boolean now) {
    if (now) {
      alive.add(line);
    } else {
      alive.remove(line);
    }
    return !alive.isEmpty();
  }

  /// Returns whether another line carries packets, and its SNAPT is not about to stop.
  boolean carryBeside(SnaptLine line) {
    return others(line).stream()
        .anyMatch(
            each -> each.state().isConnected() && alive.contains(each) && !each.end().isLeaving());
  }

  /// Returns whether another line has the same SNAPT. Called on the control loop.
  boolean share(SnaptLine line) {
    String id = line.state().snaptId();
    return others(line).stream().anyMatch(each -> each.state().snaptId().equals(id));
  }

  /// Returns the MTU of the TUN that suits all sessions, in bytes; 0 before the first one.
  int tunMtu() {
    return lines.stream()
        .mapToInt(each -> each.state().tunMtu())
        .filter(each -> each > 0)
        .min()
        .orElse(0);
  }

  /// Returns whether a path answers or a control connection stands. Any thread may call this.
  boolean reach() {
    return lines.stream()
        .anyMatch(each ->
            each.state().isConnected() || each.state().tunMtu() > 0 && !each.end().isSilent());
  }

  /// Returns whether there is a control connection.
  boolean isConnected() {
    return lines.stream().anyMatch(each -> each.state().isConnected());
  }

  /// Returns the address of the first SNAPT that has sent a Welcome, null before.
  @Nullable InetSocketAddress peer() {
    return lines.stream()
        .map(each -> each.state().peer())
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /// Returns the control clients, for the metrics.
  List<ControlClient> clients() {
    return lines.stream().map(SnaptLine::control).toList();
  }

  /// Ends all sessions; blocks until then, for little longer than a second.
  void close(String reason) {
    List<Thread> closing = new ArrayList<>();
    for (SnaptLine each : lines) {
      closing.add(Thread.ofVirtual().start(() -> each.control().close(reason)));
    }
    try {
      for (Thread each : closing) {
        each.join();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  // --- what is shown

  /// Returns the state of the first line with a session; of the first one if there is none.
  SessionState first() {
    return lines.stream()
        .map(SnaptLine::state)
        .filter(each -> each.peer() != null)
        .findFirst()
        .orElse(lines.getFirst().state());
  }

  /// Returns the reasons for which the service is degraded: those of the first line; only those of
  /// the account if another one carries.
  ///
  /// @param data status of the data path, with a path state of each line
  List<String> reasons(DataStatus data, SignallingStatus.Probes sip) {
    if (wanted > 1 || lines.stream().filter(SnaptLine::hasSession).count() > 1) {
      for (int i = 0; i < lines.size(); i++) {
        if (lines.get(i).state().isConnected() && data.snapts().get(i).state().equals("carrying")) {
          return lines.get(i).state().creditReasons();
        }
      }
    }
    return first().reasons(data, sip);
  }

  /// Returns whether packets can reach a SNAPT, by UDP or in the control connection.
  boolean passes(DataStatus data) {
    return lines.stream().anyMatch(each -> each.state().passes(data));
  }

  /// Returns what the newest list of the bridge says about all SNAPTs.
  List<AgentStatus.ListedSnapt> directory() {
    return terms.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(each -> {
          SnaptTerms told = each.getValue();
          int percent = order.loadPercent(each.getKey());
          return new AgentStatus.ListedSnapt(
              each.getKey(), told.region(), percent < 0 ? null : percent, told.prices().shown());
        })
        .toList();
  }

  /// Returns the SNAPTs in use.
  List<AgentStatus.UsedSnapt> status(DataStatus data) {
    List<AgentStatus.UsedSnapt> status = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      SessionState state = lines.get(i).state();
      AgentStatus.SessionStatus session = state.session();
      if (session != null) {
        DataStatus.SnaptStatus measured = data.snapts().get(i);
        SnaptTerms told = terms.getOrDefault(state.snaptId(), SnaptTerms.UNKNOWN);
        status.add(
            new AgentStatus.UsedSnapt(
                session.snapt(),
                session.id(),
                state.isConnected(),
                state.lastFailure(),
                measured.state(),
                state.isDraining(),
                state.drainDeadline(),
                measured.roundTripMs(),
                measured.flows(),
                measured.ownBitPerSecond(),
                measured.carriedBytes(),
                told.region(),
                told.prices().shown()));
      }
    }
    return status;
  }
}
