package io.viaduct.snapt.group;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.snapt.control.ControlServer;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.policy.TunnelPorts;
import io.viaduct.tunnel.control.v1.Relay;
import java.net.InetAddress;
import java.net.UnknownHostException;
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
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks up every ten seconds where the tunnels of the other members end: host and data port from
/// the bridge's directory, addresses from the names. Flows that go there carry the datagrams of
/// neighbours, and are charged to nobody (ADR 0068). Names are resolved on its own thread.
final class MemberTunnels implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemberTunnels.class);
  private static final long LOOK_MS = 10_000;

  private final GroupSettings settings;
  private final ControlServer control;
  private final Consumer<List<TunnelPorts.Member>> ports;
  private final ScheduledExecutorService looking =
      Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("member-tunnels", true));
  // By id. One that the directory does not name now, because it has lost its bridge, still serves.
  private final Map<String, TunnelPorts.Member> last = new HashMap<>();

  /// @param ports takes the ends of the tunnels
  MemberTunnels(
      GroupSettings settings, ControlServer control, Consumer<List<TunnelPorts.Member>> ports) {
    this.settings = settings;
    this.control = control;
    this.ports = ports;
  }

  void start() {
    var unused = looking.scheduleWithFixedDelay(this::look, 0, LOOK_MS, TimeUnit.MILLISECONDS);
  }

  private void look() {
    control.onControlThread(() -> {
      List<Relay> known =
          settings.members().stream()
              .map(each -> control.known(each.id()))
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
    for (Relay each : known) {
      TunnelPorts.Member before = last.get(each.getSnaptId());
      Collection<Prefix> addresses =
          addressesOf(each.getHost(), before == null ? List.of() : before.addresses());
      last.put(each.getSnaptId(), new TunnelPorts.Member(addresses, each.getDataPort()));
    }
    ports.accept(List.copyOf(last.values()));
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
