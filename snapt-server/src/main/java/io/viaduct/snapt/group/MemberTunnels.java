package io.viaduct.snapt.group;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.snapt.control.ControlServer;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.policy.TunnelPorts;
import io.viaduct.tunnel.control.v1.Relay;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks up every ten seconds where the tunnels of the other members end: host and data port from
/// the bridge's directory, addresses from the names. Flows that go there carry the datagrams of
/// neighbours, and are charged to nobody (ADR 0068). Names are resolved on its own thread.
final class MemberTunnels implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemberTunnels.class);
  private static final long LOOK_MS = 10_000;

  /// Time for which a member stays that the directory does not name any more. It may only have lost
  /// its bridge, and serves devices with valid tokens all the same. Six times the default lifetime
  /// of a token.
  static final Duration KEPT = Duration.ofHours(1);

  private final GroupSettings settings;
  private final ControlServer control;
  private final Consumer<List<TunnelPorts.Member>> ports;
  private final ScheduledExecutorService looking =
      Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("member-tunnels", true));
  private final LongSupplier nanoClock;
  private final Map<String, Named> last = new HashMap<>(); // by id

  private record Named(TunnelPorts.Member member, long atNs) {}

  /// @param ports takes the ends of the tunnels
  MemberTunnels(
      GroupSettings settings,
      ControlServer control,
      Consumer<List<TunnelPorts.Member>> ports,
      LongSupplier nanoClock) {
    this.settings = settings;
    this.control = control;
    this.ports = ports;
    this.nanoClock = nanoClock;
  }

  void start() {
    var unused = looking.scheduleWithFixedDelay(this::look, 0, LOOK_MS, TimeUnit.MILLISECONDS);
  }

  /// Looks now, beside the schedule.
  void look() {
    control
        .thread()
        .run(() -> {
          List<Relay> known =
              settings.members().stream()
                  .map(each -> control.relays().known(each.id()))
                  .flatMap(Optional::stream)
                  .toList();
          try {
            looking.execute(() -> resolve(known));
          } catch (RejectedExecutionException _) {
            // this SNAPT stops
          }
        });
  }

  private void resolve(List<Relay> known) {
    long nowNs = nanoClock.getAsLong();
    for (Relay each : known) {
      Named before = last.get(each.getSnaptId());
      Collection<Prefix> addresses =
          addressesOf(each.getHost(), before == null ? List.of() : before.member().addresses());
      last.put(
          each.getSnaptId(),
          new Named(new TunnelPorts.Member(addresses, each.getDataPort()), nowNs));
    }
    last.values().removeIf(each -> nowNs - each.atNs() > KEPT.toNanos());
    ports.accept(last.values().stream().map(Named::member).toList());
  }

  private static Collection<Prefix> addressesOf(String host, Collection<Prefix> before) {
    try {
      return Stream.of(InetAddress.getAllByName(host)).map(Prefix::host).toList();
    } catch (UnknownHostException _) {
      LOG.debug("{} has no address now", host);
      return before; // the last known ones stay
    }
  }

  @Override
  public void close() {
    looking.shutdownNow();
  }
}
