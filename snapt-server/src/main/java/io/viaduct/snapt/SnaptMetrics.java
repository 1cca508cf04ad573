package io.viaduct.snapt;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.viaduct.service.clock.PeerClock;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.snapt.attribution.Attribution;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.snapt.clock.ConfirmedClock;
import io.viaduct.snapt.control.ControlServer;
import io.viaduct.snapt.control.ProbePage;
import io.viaduct.snapt.credit.CreditLine;
import io.viaduct.snapt.group.GroupCounts;
import io.viaduct.snapt.metering.RelayOutcome;
import io.viaduct.snapt.napt.Translated;
import io.viaduct.snapt.policy.EgressRefusal;
import io.viaduct.snapt.relay.Drop;
import io.viaduct.snapt.relay.Relay;
import io.viaduct.snapt.relay.TrafficCounters;
import io.viaduct.snapt.relay.TrafficCounters.Direction;
import io.viaduct.snapt.relay.TrafficCounters.Measure;
import io.viaduct.snapt.reporting.IntervalLog;
import io.viaduct.snapt.reporting.Receipts;
import io.viaduct.snapt.reporting.ReportSender;
import io.viaduct.snapt.reporting.ReportSpool;
import io.viaduct.snapt.reporting.UsageReporting;
import io.viaduct.tunnel.dictionary.HistoryEvent;
import io.viaduct.tunnel.dictionary.HistoryMemory;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/// The meters of the SNAPT. A meter of the data path is the sum over the event loops, computed when
/// it is read. The packet path only increments plain numbers.
final class SnaptMetrics {
  private final MeterRegistry registry;

  SnaptMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /// Registers the meters of the group.
  void group(GroupCounts group) {
    group
        .moves()
        .bind(
            registry,
            "viaduct_group_moves",
            "outcome",
            "Attempts to hand a session over to another SNAPT");
    group
        .answers()
        .bind(
            registry,
            "viaduct_group_take_overs",
            "state",
            "Answers to other SNAPTs that hand a session over");
    group
        .refusals()
        .bind(
            registry,
            "viaduct_group_refusals",
            "reason",
            "Sessions of other SNAPTs that were not taken over");
    group
        .returns()
        .bind(
            registry,
            "viaduct_group_returns",
            "outcome",
            "Addresses of sessions that were handed over and have ended");
    group
        .asked()
        .bind(
            registry,
            "viaduct_group_outcomes_asked",
            "outcome",
            "Questions to other SNAPTs for the outcome of a hand-over whose end was not heard");
    gauge(
        "viaduct_group_intents",
        "Hand-overs of this SNAPT that are open: no device gets their addresses",
        group::intents);
    gauge(
        "viaduct_group_addresses",
        "Public addresses that have moved from or to this SNAPT",
        group::addresses);
    gauge(
        "viaduct_group_routes_missing",
        "Addresses that have moved and whose routes the host has refused; they are tried again",
        group::notRouted);
    FunctionCounter.builder("viaduct_group_flows_left_out", group, GroupCounts::flowsLeftOut)
        .description("Flows of sessions of other SNAPTs that broke a rule; they begin anew")
        .register(registry);
    FunctionCounter.builder("viaduct_group_links_left_out", group, GroupCounts::linksLeftOut)
        .description("Links of sessions of other SNAPTs whose rate broke a rule; it is found anew")
        .register(registry);
    FunctionCounter.builder("viaduct_group_strangers", group, GroupCounts::strangers)
        .description("Callers whose certificate is missing or of no member")
        .register(registry);
  }

  /// Registers the meters of the page for captive portals.
  void probePage(ProbePage page) {
    page.outcomes()
        .bind(
            registry,
            "viaduct_portal_probes",
            "outcome",
            "Connections of devices that look for a captive portal");
  }

  /// Registers the meters of the data path.
  ///
  /// @param historyBudgetBytes limit of each event loop
  void relay(Relay relay, long historyBudgetBytes) {
    traffic(relay.counters());
    histories(relay.histories());
    gauge(
        "viaduct_history_bytes_max",
        "Heap and native memory that histories may hold: data.history-budget-bytes of each loop",
        () -> historyBudgetBytes * relay.histories().size());
    gauge(
        "viaduct_timer_lateness_seconds",
        "98th percentile of the timer lateness of the slowest event loop",
        relay::timerLateness);
  }

  /// Registers the meters of the compression histories.
  void histories(List<HistoryMemory> loops) {
    for (HistoryEvent event : HistoryEvent.values()) {
      sum(
          loops,
          "viaduct_history_events",
          "Events of compression histories",
          Tags.of("event", MetricLabel.of(event)),
          loop -> loop.events()[event.ordinal()]);
    }
    gauge(
        "viaduct_history_bytes",
        "Heap and native memory of histories",
        () -> loops.stream().mapToLong(HistoryMemory::heldBytes).sum());
  }

  void traffic(List<TrafficCounters> loops) {
    for (Verdict verdict : Verdict.values()) {
      sum(
          loops,
          "viaduct_tunnel_verdicts",
          "Packets, datagrams and records by verdict",
          Tags.of("verdict", MetricLabel.of(verdict), "subject", MetricLabel.of(verdict.subject())),
          loop -> loop.of(verdict));
    }
    for (Drop reason : Drop.values()) {
      sum(
          loops,
          "viaduct_relay_drops",
          "Packets dropped outside the tunnel",
          Tags.of("reason", MetricLabel.of(reason)),
          loop -> loop.of(reason));
    }
    for (RelayOutcome outcome : RelayOutcome.values()) {
      sum(
          loops,
          "viaduct_relayed_bytes",
          "Outer bytes that came or went by the session of a neighbour",
          Tags.of("outcome", MetricLabel.of(outcome)),
          loop -> loop.of(outcome));
    }
    for (EgressRefusal reason : EgressRefusal.values()) {
      sum(
          loops,
          "viaduct_egress_refused",
          "Packets that the egress policy has refused",
          Tags.of("reason", MetricLabel.of(reason)),
          loop -> loop.of(reason));
    }
    sum(
        loops,
        "viaduct_egress_refusals_answered",
        "Refused packets that were answered with an ICMP error",
        Tags.empty(),
        TrafficCounters::answeredRefusals);
    sum(
        loops,
        "viaduct_relay_handed_over",
        "Packets and datagrams that were copied to another event loop",
        Tags.empty(),
        TrafficCounters::handedOver);
    sum(
        loops,
        "viaduct_relay_turned",
        "Packets from one device to another one at the public address of this SNAPT",
        Tags.empty(),
        TrafficCounters::turned);
    sum(
        loops,
        "viaduct_relay_socket_full",
        "Times that datagrams waited because the UDP socket's buffer was full",
        Tags.empty(),
        TrafficCounters::socketFull);
    for (Carrier carrier : Carrier.values()) {
      sum(
          loops,
          "viaduct_carrier_changes",
          "Changes of sessions to a carrier",
          Tags.of("to", MetricLabel.of(carrier)),
          loop -> loop.of(carrier));
    }
    for (Direction direction : Direction.values()) {
      for (Translated outcome : Translated.values()) {
        sum(
            loops,
            "viaduct_napt_packets",
            "Outcomes of the address translation",
            Tags.of("direction", MetricLabel.of(direction), "outcome", MetricLabel.of(outcome)),
            loop -> loop.of(direction, outcome));
      }
      sum(
          loops,
          "viaduct_tunnel_overhead_bytes",
          "Outer bytes that belong to no flow",
          Tags.of("direction", MetricLabel.of(direction)),
          loop -> loop.overhead(direction));
      for (ServiceClass serviceClass : ServiceClass.values()) {
        traffic(loops, direction, serviceClass);
      }
    }
  }

  private void traffic(
      List<TrafficCounters> loops, Direction direction, ServiceClass serviceClass) {
    for (Measure measure : Measure.values()) {
      String name =
          switch (measure) {
            case PACKETS -> "viaduct_flow_packets";
            case PRE_BYTES -> "viaduct_flow_pre_bytes";
            case POST_BYTES -> "viaduct_flow_post_bytes";
          };
      sum(
          loops,
          name,
          "Packets, inner bytes (pre) and outer bytes (post) of flows",
          Tags.of("direction", MetricLabel.of(direction), "class", MetricLabel.of(serviceClass)),
          loop -> loop.of(direction, serviceClass, measure));
    }
  }

  /// Registers the meters of the control connections.
  ///
  /// @param connectionsMax largest number of open connections
  void control(ControlServer server, int connectionsMax) {
    server
        .ends()
        .bind(registry, "viaduct_control_ends", "reason", "Ended control connections by reason");
    server.refusals().bind(registry, "viaduct_control_refusals", "code", "Refusals sent");
    server
        .receiptOutcomes()
        .bind(registry, "viaduct_receipts", "outcome", "Requests for receipts by outcome");
    gauge("viaduct_control_connections", "Open connections", server::connections);
    gauge(
        "viaduct_control_connections_max",
        "Most connections that may be open: control.connections-max",
        () -> connectionsMax);
    gauge(
        "viaduct_relays_left_out",
        "SNAPTs that devices are not told about, because their list is full",
        server.relays()::leftOut);
  }

  /// Registers the meters of the sessions.
  ///
  /// @param max largest number of open sessions
  void sessions(SessionRegistry sessions, int max) {
    sessions.ends().bind(registry, "viaduct_session_ends", "reason", "Ended sessions by reason");
    gauge("viaduct_sessions", "Open sessions", sessions::size);
    gauge("viaduct_sessions_max", "Most sessions that may be open: sessions.max", () -> max);
  }

  /// Registers the meters of the reports.
  ///
  /// @param pendingMax number of reports from which new sessions are refused
  void reports(ReportSender sender, UsageReporting reporting, int pendingMax) {
    sender.verdicts().bind(registry, "viaduct_reports_answered", "verdict", "The bridge's answers");
    counter(
        "viaduct_reports_answers_unknown",
        "Answers to reports that are not pending",
        sender.unknownAnswers()::sum);
    counter("viaduct_spool_failures", "Failed writes to the spool", reporting.diskFailures()::sum);
    gauge("viaduct_reports_pending", "Reports not acknowledged", reporting::pending);
    gauge(
        "viaduct_reports_pending_max",
        "Pending reports above which new sessions are refused: reporting.spool-reports-max",
        () -> pendingMax);
  }

  /// Registers the gauges of the spool.
  void spool(ReportSpool spool, InstantSource clock) {
    gauge("viaduct_spool_bytes", "Bytes of waiting reports", spool::pendingBytes);
    gauge(
        "viaduct_reports_pending_oldest_seconds",
        "Age of the oldest report on disk, from the end of its interval; 0 without one",
        () -> spool.oldestSeconds(clock.millis()));
  }

  /// Registers the comparison with the bridge's clock.
  void clock(ConfirmedClock clock) {
    Gauge.builder(PeerClock.METRIC, clock, ConfirmedClock::aheadSeconds)
        .description("This machine's clock minus the bridge's")
        .baseUnit("seconds")
        .register(registry);
  }

  /// Registers the meters of the log of open intervals.
  ///
  /// @param late number of delayed checkpoints of sessions
  void intervals(IntervalLog intervals, Supplier<Number> late) {
    counter(
        "viaduct_intervals_torn",
        "Log files that ended with an incomplete record",
        intervals.tornTails()::sum);
    counter("viaduct_intervals_compactions", "Log rewrites", intervals.compactions()::sum);
    gauge("viaduct_intervals_open", "Open intervals in the log", intervals::size);
    gauge("viaduct_intervals_bytes", "Bytes of the log of open intervals", intervals::bytes);
    counter("viaduct_intervals_late", "Delayed checkpoints of sessions", late);
  }

  /// Registers the counters of the address records.
  void attribution(Attribution attribution) {
    counter(
        "viaduct_attribution_records",
        "Records of sessions and connections with their public addresses",
        attribution::records);
    counter(
        "viaduct_attribution_lost",
        "Records that could not be written, and times that the kernel dropped events",
        attribution::lost);
  }

  /// Registers the meters of owed receipts.
  void receipts(Receipts receipts) {
    gauge("viaduct_receipts_owed", "Reports of the spool that need a receipt", receipts::owed);
    counter(
        "viaduct_receipts_expired",
        "Reports deleted without receipt 24 h after their interval",
        receipts.expired()::sum);
    counter(
        "viaduct_receipts_not_asked",
        "Receipts that were not requested because their device owes too many",
        receipts.notAsked()::sum);
  }

  /// Registers the meters of credit control.
  void credit(CreditLine credit) {
    credit
        .results()
        .bind(registry, "viaduct_credit_answers", "result", "Answers of billing by result");
    counter("viaduct_credit_requests", "Requests for quotas", credit.requests()::sum);
    counter(
        "viaduct_credit_pushes",
        "Changes of the credit that billing has pushed",
        credit.pushes()::sum);
    counter(
        "viaduct_credit_answers_unknown",
        "Answers to sessions that have ended",
        credit.unknown()::sum);
  }

  void gauge(String name, String description, Supplier<Number> value) {
    Gauge.builder(name, value).description(description).register(registry);
  }

  void counter(String name, String description, Supplier<Number> value) {
    FunctionCounter.builder(name, value, supplier -> supplier.get().doubleValue())
        .description(description)
        .register(registry);
  }

  private <T> void sum(
      List<T> loops, String name, String description, Tags tags, ToLongFunction<T> value) {
    FunctionCounter.builder(name, loops, all -> all.stream().mapToLong(value).sum())
        .tags(tags)
        .description(description)
        .register(registry);
  }
}
