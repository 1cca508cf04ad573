package io.viaduct.snapt;

import io.viaduct.service.operations.MetricLabel;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.snapt.control.ControlServer;
import io.viaduct.snapt.control.DrainStatus;
import io.viaduct.snapt.relay.Refusals;
import io.viaduct.snapt.relay.Relay;
import io.viaduct.snapt.relay.SessionStatus;
import io.viaduct.snapt.relay.TrafficCounters;
import io.viaduct.snapt.relay.TrafficCounters.Direction;
import io.viaduct.snapt.reporting.UsageReporting;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.usage.v1.SnaptState;
import io.viaduct.usage.v1.SnaptStatus;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Collects the state of this SNAPT: for the bridge every few seconds, and for the operator on
/// request. Any thread may call it.
final class SnaptStatusSource {
  private static final int LOOP_ANSWER_SECONDS_MAX = 2;
  private static final double BITS_PER_BYTE_AND_SECOND = 8_000.0;

  private final SnaptConfiguration configuration;
  private final long epoch;
  private final InstantSource clock;
  private final SessionRegistry registry;
  private final UsageReporting reporting;
  private final Relay relay;
  private final ControlServer control;
  private final int controlPort;
  private final int dataPort;
  private Rates rates;

  /// Inner bits per second since the last reading, and the byte counts of that reading.
  private record Rates(long atMs, long upBytes, long downBytes, double up, double down) {}

  SnaptStatusSource(
      SnaptConfiguration configuration,
      long epoch,
      InstantSource clock,
      SessionRegistry registry,
      UsageReporting reporting,
      Relay relay,
      ControlServer control,
      int controlPort,
      int dataPort) {
    this.configuration = configuration;
    this.epoch = epoch;
    this.clock = clock;
    this.registry = registry;
    this.reporting = reporting;
    this.relay = relay;
    this.control = control;
    this.controlPort = controlPort;
    this.dataPort = dataPort;
    this.rates = new Rates(clock.millis(), 0, 0, 0, 0);
  }

  /// Returns the status for the bridge.
  SnaptStatus announcement() {
    Rates now = rates();
    DrainStatus drain = control.drain().status();
    return SnaptStatus.newBuilder()
        .setState(drain.draining() ? SnaptState.DRAINING : SnaptState.SERVING)
        .setDrainDeadlineMs(drain.deadlineMs())
        .setLoadPercent(registry.loadPercent())
        .setSnaptId(configuration.id())
        .setHost(configuration.control().host())
        .setControlPort(controlPort)
        .setDataPort(dataPort)
        .setRegion(configuration.region())
        .setEpoch(epoch)
        .setSessions(registry.size())
        .setSessionsLimit(configuration.sessions().max())
        .setUpBitPerSecond(now.up())
        .setDownBitPerSecond(now.down())
        .setReportsPending(reporting.pending())
        .setVersion(ProcessMetrics.versionOf(Snapt.class))
        .setDatagramsRefused(Refusals.datagrams(relay.counters()))
        .build();
  }

  private synchronized Rates rates() {
    long nowMs = clock.millis();
    long elapsedMs = nowMs - rates.atMs();
    if (elapsedMs >= 500) {
      long up = bytes(Direction.UP);
      long down = bytes(Direction.DOWN);
      rates =
          new Rates(
              nowMs,
              up,
              down,
              (up - rates.upBytes()) * BITS_PER_BYTE_AND_SECOND / elapsedMs,
              (down - rates.downBytes()) * BITS_PER_BYTE_AND_SECOND / elapsedMs);
    }
    return rates;
  }

  private long bytes(Direction direction) {
    return relay.counters().stream().mapToLong(loop -> loop.egressBytes(direction)).sum();
  }

  /// The document `/status`, for the operator.
  ///
  /// @param state `serving` or `draining`
  /// @param drainDeadlineMs Unix time at which the sessions end that are left; 0 for never
  /// @param group name of the group whose members take the sessions at that time; empty: they end
  /// @param sessions open sessions, with the flows of their open interval
  /// @param refused number of refused datagrams and records of all sessions, by reason
  record Document(
      String id,
      String state,
      long drainDeadlineMs,
      String group,
      long epoch,
      String version,
      String host,
      int controlPort,
      int dataPort,
      int sessionsLimit,
      double upBitPerSecond,
      double downBitPerSecond,
      int reportsPending,
      boolean spoolFull,
      Map<String, Long> refused,
      List<SessionStatus> sessions) {}

  Document document() {
    Rates now = rates();
    DrainStatus drain = control.drain().status();
    return new Document(
        configuration.id(),
        drain.draining() ? "draining" : "serving",
        drain.deadlineMs(),
        configuration.group().name(),
        epoch,
        ProcessMetrics.versionOf(Snapt.class),
        configuration.control().host(),
        controlPort,
        dataPort,
        configuration.sessions().max(),
        now.up(),
        now.down(),
        reporting.pending(),
        reporting.isFull(),
        refused(relay.counters()),
        sessions());
  }

  private List<SessionStatus> sessions() {
    try {
      return relay.status().get(LOOP_ANSWER_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted");
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("an event loop did not answer within 2 s", e);
    }
  }

  private static Map<String, Long> refused(List<TrafficCounters> loops) {
    Map<String, Long> refused = new TreeMap<>();
    for (Verdict verdict : Verdict.values()) {
      long count = loops.stream().mapToLong(loop -> loop.of(verdict)).sum();
      if (count > 0 && Refusals.isRefusal(verdict)) {
        refused.put(MetricLabel.of(verdict), count);
      }
    }
    return refused;
  }
}
