package io.viaduct.cnapt.operations;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.cnapt.control.BridgeDirectory;
import io.viaduct.cnapt.control.ControlClient;
import io.viaduct.cnapt.control.ControlFailure;
import io.viaduct.cnapt.hook.RoutingHook;
import io.viaduct.cnapt.mobility.CarrierLog;
import io.viaduct.cnapt.mobility.Handover;
import io.viaduct.cnapt.mobility.HandoverLog;
import io.viaduct.cnapt.mobility.StrayRoutes;
import io.viaduct.cnapt.naming.PortalNames;
import io.viaduct.cnapt.peer.PeerRefusal;
import io.viaduct.cnapt.peer.PeerServer;
import io.viaduct.cnapt.peer.PeerSources;
import io.viaduct.cnapt.policy.PathState;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.cnapt.receipts.ReceiptLedger;
import io.viaduct.cnapt.signalling.SignallingStatus.Probes;
import io.viaduct.cnapt.tunnel.Carried;
import io.viaduct.cnapt.tunnel.Carried.Direction;
import io.viaduct.cnapt.tunnel.DataCounters;
import io.viaduct.cnapt.tunnel.FlowRefusal;
import io.viaduct.cnapt.tunnel.Placement;
import io.viaduct.cnapt.usage.DeviceReports;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The agent's meters. They read counters that exist anyway, so they cost nothing per packet.
/// Labels are enum values only.
public final class AgentMeters {
  private static final Duration[] DURATIONS =
      IntStream.of(10, 20, 30, 60, 100, 200, 300, 500, 1000, 2000, 5000)
          .mapToObj(Duration::ofMillis)
          .toArray(Duration[]::new);

  private final MeterRegistry registry;

  /// @param registry of the process
  public AgentMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /// Registers the meters of a device with a SNAPT.
  public void of(
      Carried carried,
      DataCounters data,
      List<ControlClient> controls,
      ReceiptLedger receipts,
      HandoverLog handovers,
      CarrierLog carriers,
      OwnerLookup owners) {
    of(carried, data, handovers, carriers, owners);
    of(controls);
    of(receipts);
  }

  /// Registers the meters of any tunnel.
  public void of(
      Carried carried,
      DataCounters data,
      HandoverLog handovers,
      CarrierLog carriers,
      OwnerLookup owners) {
    of(carried);
    of(data);
    total("viaduct_handovers", "Moves of traffic", handovers, HandoverLog::count);
    Handover.CAUSES.forEach(this::handovers);
    handovers.timed((cause, lasted) -> handovers(cause).record(lasted));
    of(carriers);
    of(owners);
  }

  /// Registers the meters of the path to the bridge, measured by SIP probes.
  ///
  /// @param probes returns their present state
  public void sip(Supplier<Probes> probes) {
    sip(
        probes,
        "viaduct_sip_rtt",
        "seconds",
        "Round trip of SIP probes, mean of about 4",
        p -> seconds(p.roundTripMs()));
    sip(
        probes,
        "viaduct_sip_usual_rtt",
        "seconds",
        "Round trip of SIP probes, mean of about 16",
        p -> seconds(p.usualRoundTripMs()));
    sip(
        probes,
        "viaduct_sip_loss_ratio",
        null,
        "SIP probes without an answer, mean of about 4",
        p -> ratio(p.lossPercent()));
    sip(
        probes,
        "viaduct_sip_usual_loss_ratio",
        null,
        "SIP probes without an answer, mean of about 16",
        p -> ratio(p.usualLossPercent()));
    sip(
        probes,
        "viaduct_sip_measured_ago",
        "seconds",
        "Time since the last answer to a SIP probe",
        p -> p.agoMs() == null ? Double.NaN : p.agoMs() / 1000.0);
    sip(
        probes,
        "viaduct_sip_alone",
        null,
        "1 if SIP probes are answered although no control connection has stood for 10 s",
        p -> p.isAlone() ? 1 : 0);
    total("viaduct_sip_probes", "SIP probes that were sent", probes, p -> p.get().sent());
    total(
        "viaduct_sip_probes_answered",
        "SIP probes that were answered",
        probes,
        p -> p.get().answered());
  }

  private void sip(
      Supplier<Probes> probes,
      String name,
      @Nullable String unit,
      String description,
      ToDoubleFunction<Probes> value) {
    Gauge.builder(name, probes, p -> value.applyAsDouble(p.get()))
        .description(description)
        .baseUnit(unit)
        .register(registry);
  }

  private static double seconds(@Nullable Double milliseconds) {
    return milliseconds == null ? Double.NaN : milliseconds / 1000;
  }

  private static double ratio(@Nullable Double percent) {
    return percent == null ? Double.NaN : percent / 100;
  }

  /// Registers the refusals of an end that listens for a peer.
  public void of(PeerServer server) {
    for (PeerRefusal why : PeerRefusal.values()) {
      counter("viaduct_peer_refusals", server, s -> s.refusals(why))
          .description("Connections that were refused before they changed anything, by reason")
          .tag("reason", why.label())
          .register(registry);
    }
  }

  /// Registers the meters of a tunnel to a peer, at either end.
  public void ofPeer(DataCounters data, PeerSources sources) {
    total(
        "viaduct_peer_watchdogs",
        "Times that the probes of a path have stopped",
        data,
        DataCounters::watchdogs);
    total(
        "viaduct_peer_misled",
        "Datagrams of a known address that came to another address of this end than before",
        data,
        DataCounters::misled);
    total(
        "viaduct_peer_refused_sources",
        "Packets of the peer with a source outside of its prefixes",
        sources,
        PeerSources::refused);
    Gauge.builder("viaduct_peer_refused_pairs", data, DataCounters::refusedPairs)
        .description("Pairs of a link and an address that are no path, because there are 8 already")
        .register(registry);
  }

  /// The labels of a path: place of its SNAPT among those in use, and its number.
  private record PathTags(int snapt, int id) {
    @Nullable PathStatus of(DataCounters data) {
      return data.path(snapt, id);
    }

    Tags tags() {
      return Tags.of("snapt", String.valueOf(snapt), "path", String.valueOf(id));
    }
  }

  /// Registers the meters of the paths.
  ///
  /// @param snapts largest number of SNAPTs that are used at a time
  public void paths(int snapts, DataCounters data) {
    for (int snapt = 0; snapt < snapts; snapt++) {
      for (int path = 0; path < TunnelLimits.PATHS_MAX; path++) {
        path(new PathTags(snapt, path), data);
      }
    }
  }

  private Timer handovers(String cause) {
    return Timer.builder("viaduct_handover_duration")
        .description("Time from a move of traffic to the SNAPT's answer; 0 if both paths work")
        .tag("cause", cause)
        .serviceLevelObjectives(DURATIONS)
        .register(registry);
  }

  // The paths have few numbers, so they are labels. A path that does not exist has no value (NaN).
  private void path(PathTags id, DataCounters data) {
    gauge(
        "viaduct_path_rtt",
        id,
        data,
        "seconds",
        "Smoothed round trip",
        path -> path.delayMs() == null ? Double.NaN : path.delayMs() / 1000);
    gauge(
        "viaduct_path_usual_rtt",
        id,
        data,
        "seconds",
        "Round trip of about the last minute",
        path -> path.usualDelayMs() == null ? Double.NaN : path.usualDelayMs() / 1000);
    gauge(
        "viaduct_path_loss_ratio",
        id,
        data,
        null,
        "Share of the device's bytes that was lost in about the last second",
        path -> path.lossPercent() / 100);
    gauge(
        "viaduct_path_down_loss_ratio",
        id,
        data,
        null,
        "Share of the SNAPT's bytes that was lost in about the last second",
        path -> path.downLossPercent() / 100);
    gauge(
        "viaduct_path_usual_loss_ratio",
        id,
        data,
        null,
        "Greater share of both directions that was lost in about the last ten seconds",
        path -> path.usualLossPercent() / 100);
    gauge(
        "viaduct_path_sent",
        id,
        data,
        "bits_per_second",
        "Rate of sent datagrams",
        PathStatus::sentBitPerSecond);
    gauge(
        "viaduct_path_used",
        id,
        data,
        null,
        "1 if packets may leave by the path, 0.5 for a spare",
        path -> path.use().equals("yes") ? 1 : path.use().equals("spare") ? 0.5 : 0);
    for (PathState state : PathState.values()) {
      state(id, state, data);
    }
  }

  private void state(PathTags id, PathState state, DataCounters data) {
    String label = MetricLabel.of(state);
    Gauge.builder(
            "viaduct_path_state",
            data,
            d -> {
              PathStatus path = id.of(d);
              return path == null ? Double.NaN : path.state().equals(label) ? 1 : 0;
            })
        .description("1 for the present state of the path, 0 for the others")
        .tags(id.tags())
        .tag("state", label)
        .register(registry);
  }

  private void gauge(
      String name,
      PathTags id,
      DataCounters data,
      @Nullable String unit,
      String description,
      ToDoubleFunction<PathStatus> value) {
    Gauge.builder(
            name,
            data,
            d -> {
              PathStatus path = id.of(d);
              return path == null ? Double.NaN : value.applyAsDouble(path);
            })
        .description(description)
        .baseUnit(unit)
        .tags(id.tags())
        .register(registry);
  }

  // Verdicts of packets, datagrams and records; inner and outer bytes by class; the path.
  private void of(Carried carried) {
    for (Verdict verdict : Verdict.values()) {
      counter("viaduct_tunnel_verdicts", carried, c -> c.verdict(verdict))
          .description("Datagrams, records and packets by verdict (docs/protocol.md)")
          .tag("subject", MetricLabel.of(verdict.subject()))
          .tag("verdict", MetricLabel.of(verdict))
          .register(registry);
    }
    for (Direction direction : Direction.values()) {
      for (ServiceClass each : ServiceClass.values()) {
        bytes("pre", direction, MetricLabel.of(each), carried, c -> c.preBytes(direction, each));
        bytes("post", direction, MetricLabel.of(each), carried, c -> c.postBytes(direction, each));
      }
      bytes("post", direction, "overhead", carried, c -> c.overheadBytes(direction));
    }
    Gauge.builder("viaduct_tunnel_paced", carried, Carried::pacedBitPerSecond)
        .description("Pacing rate of datagrams, infinite without a limit")
        .baseUnit("bits_per_second")
        .register(registry);
    Gauge.builder("viaduct_path_mtu", carried, Carried::pathMtu)
        .description("Size of the largest outer IP packet that is sent now")
        .baseUnit("bytes")
        .register(registry);
    total(
        "viaduct_path_mtu_black_holes",
        "Times that packets of the size in use were no longer delivered",
        carried,
        Carried::blackHoles);
  }

  // Back-pressure, refusals of the kernel, classification.
  private void of(DataCounters data) {
    total(
        "viaduct_tun_pauses",
        "Times that the TUN was not read because a queue was full",
        data,
        DataCounters::pauses);
    total(
        "viaduct_tun_foreign_sources",
        "Packets that were not carried: this host does not have their source in the tunnel",
        data,
        DataCounters::foreign);
    total(
        "viaduct_tun_not_written",
        "Packets that the kernel did not accept",
        data,
        DataCounters::notWritten);
    total(
        "viaduct_udp_refusals",
        "Bursts without a route in the kernel",
        data,
        DataCounters::refusals);
    total(
        "viaduct_udp_dropped_bursts",
        "Bursts that were dropped because they waited too long",
        data,
        DataCounters::droppedBursts);
    total("viaduct_flows_classified", "Flows that got a class", data, DataCounters::classified);
    total(
        "viaduct_flows_reclassified",
        "Flows whose process gave another class",
        data,
        DataCounters::reclassified);
    total(
        "viaduct_snapt_silences",
        "Times that nothing came from a SNAPT, while there are several",
        data,
        DataCounters::silences);
    for (FlowRefusal reason : FlowRefusal.values()) {
      counter("viaduct_flows_refused", data, d -> d.refused(reason))
          .description("Flows that this device has refused or reset, by reason")
          .tag("reason", MetricLabel.of(reason))
          .register(registry);
    }
    for (Placement reason : Placement.values()) {
      counter("viaduct_flows_placed", data, d -> d.placed(reason))
          .description("New flows while there are several SNAPTs, by the reason for the SNAPT")
          .tag("reason", MetricLabel.of(reason))
          .register(registry);
    }
    Gauge.builder("viaduct_timer_lateness", data, DataCounters::timerLateness)
        .description("98th percentile of the timer lateness of the event loop")
        .baseUnit("seconds")
        .register(registry);
  }

  /// Registers failures and ends of control connections, and refusals of the other ends.
  public void of(List<ControlClient> controls) {
    for (ControlFailure why : ControlFailure.values()) {
      counter("viaduct_control_failures", controls, all -> sum(all, c -> c.counts().failures(why)))
          .description("Control connections that failed or ended, by reason")
          .tag("reason", why.label())
          .register(registry);
    }
    for (RefusalCode code : RefusalCode.values()) {
      if (code != RefusalCode.UNRECOGNIZED) {
        counter(
                "viaduct_control_refusals",
                controls,
                all -> sum(all, c -> c.counts().refusals(code)))
            .description("Refusals by a SNAPT, by code")
            .tag("code", MetricLabel.of(code))
            .register(registry);
      }
    }
    counter("viaduct_relays_ignored", controls, all -> sum(all, ControlClient::relaysIgnored))
        .description("Lists of a SNAPT that a newer one replaced, and SNAPTs that were not granted")
        .register(registry);
    counter("viaduct_moves_refused", controls, all -> sum(all, c -> c.counts().movesRefused()))
        .description("Hand-overs to a SNAPT that the device may not use")
        .register(registry);
    counter(
            "viaduct_moves_turned_back",
            controls,
            all -> sum(all, c -> c.counts().movesTurnedBack()))
        .description("Hand-overs whose new SNAPT was lost before it had the session")
        .register(registry);
  }

  /// Registers the directories that SNAPTs carry for the bridge.
  public void of(BridgeDirectory bridge) {
    for (BridgeDirectory.Refusal reason : BridgeDirectory.Refusal.values()) {
      counter("viaduct_directories_refused", bridge, of -> of.refused(reason))
          .description("Directories of SNAPTs, signed by the bridge, that were refused, by reason")
          .tag("reason", reason.label())
          .register(registry);
    }
  }

  /// Registers the routes that would lead past the tunnel.
  public void of(StrayRoutes strays) {
    total(
        "viaduct_stray_routes",
        "Routes that would lead past the tunnel, and were not followed",
        strays,
        StrayRoutes::seen);
  }

  /// Registers the queries for the name of a captive portal.
  public void of(PortalNames portal) {
    for (PortalNames.Outcome outcome : PortalNames.Outcome.values()) {
      counter("viaduct_portal_queries", portal, of -> of.of(outcome))
          .description("DNS queries of applications while a captive portal was open")
          .tag("outcome", outcome.label())
          .register(registry);
    }
  }

  /// Registers the readers of the routing hook.
  public void of(RoutingHook hook) {
    Gauge.builder("viaduct_hook_readers", hook, RoutingHook::readers)
        .description("Readers of the routing hook")
        .register(registry);
    total(
        "viaduct_hook_readers_slow",
        "Readers of the routing hook that were cut because they were too slow",
        hook,
        RoutingHook::slow);
    total(
        "viaduct_hook_readers_refused",
        "Readers of the routing hook that were refused because there were enough",
        hook,
        RoutingHook::refused);
  }

  private static long sum(List<ControlClient> controls, ToLongFunction<ControlClient> count) {
    return controls.stream().mapToLong(count).sum();
  }

  // Receipts that SNAPTs asked for.
  private void of(ReceiptLedger receipts) {
    for (ReceiptLedger.Outcome outcome : ReceiptLedger.Outcome.values()) {
      counter("viaduct_receipts", receipts, r -> r.of(outcome))
          .description("Requests for receipts, by outcome")
          .tag("outcome", MetricLabel.of(outcome))
          .register(registry);
    }
    Gauge.builder("viaduct_receipts_owed", receipts, ReceiptLedger::owed)
        .description("Requests for receipts that wait for packets in flight")
        .register(registry);
  }

  /// Registers the meters of the device's own reports.
  public void of(DeviceReports reports) {
    for (DeviceReports.Fate fate : DeviceReports.Fate.values()) {
      counter("viaduct_device_reports", reports, r -> r.of(fate))
          .description("The device's own reports of usage, by fate")
          .tag("fate", MetricLabel.of(fate))
          .register(registry);
    }
    Gauge.builder("viaduct_device_reports_spooled", reports, DeviceReports::spooled)
        .description("The device's own reports that the bridge has not taken")
        .register(registry);
  }

  // Changes of the carrier, between UDP and the control connection.
  private void of(CarrierLog carriers) {
    for (Carrier to : Carrier.values()) {
      counter("viaduct_carrier_changes", carriers, c -> c.count(to))
          .description("Changes of the carrier of datagrams")
          .tag("to", MetricLabel.of(to))
          .register(registry);
    }
  }

  // Owners of flows.
  private void of(OwnerLookup owners) {
    total(
        "viaduct_owners_skipped",
        "Flows whose process was not searched",
        owners,
        OwnerLookup::skipped);
    total(
        "viaduct_owners_unknown",
        "Flows whose process was not found",
        owners,
        OwnerLookup::unknown);
  }

  private void bytes(
      String what,
      Direction direction,
      String of,
      Carried carried,
      ToDoubleFunction<Carried> count) {
    counter("viaduct_tunnel_" + what + "_bytes", carried, count)
        .description("Inner (pre) and outer (post) IP bytes by class")
        .baseUnit("bytes")
        .tag("direction", MetricLabel.of(direction))
        .tag("class", of)
        .register(registry);
  }

  private <T> void total(String name, String words, T owner, ToDoubleFunction<T> count) {
    counter(name, owner, count).description(words).register(registry);
  }

  private static <T> FunctionCounter.Builder<T> counter(
      String name, T owner, ToDoubleFunction<T> count) {
    return FunctionCounter.builder(name, owner, count);
  }
}
