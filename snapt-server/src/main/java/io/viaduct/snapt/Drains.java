package io.viaduct.snapt;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.operations.LabelledCounters;
import io.viaduct.service.operations.OperationsAction;
import io.viaduct.snapt.control.ControlServer;
import io.viaduct.snapt.control.DrainStatus;
import io.viaduct.snapt.reporting.BridgeOrders;
import io.viaduct.usage.v1.DrainOrder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The ways in which an operator, or the end of its enrolment, lets this SNAPT drain and serve
/// again. All change the one state of the control thread, then tell the bridge at once. Each change
/// is counted by its way, and logged once with who made it.
final class Drains implements BridgeOrders {
  static final String DRAIN = "/drain";
  static final String UNDRAIN = "/undrain";
  static final String DEADLINE = "deadline-ms";

  /// Drains without a deadline. USR2 is the JVM's own.
  static final String SIGNAL = "USR1";

  private static final Logger LOG = LoggerFactory.getLogger(Drains.class);
  private static final Duration DEADLINE_MAX = Duration.ofDays(7);

  /// The ways of an order.
  enum Way {
    /// `snapt drain`, by the private Unix socket.
    COMMAND,
    /// SIGUSR1.
    SIGNAL,
    /// A POST at the operations port.
    REST,
    /// The operator's page, by the bridge.
    BRIDGE,
    /// The bridge's word that this SNAPT is not enrolled, or is again.
    ENROLMENT
  }

  private final Supplier<ControlServer> server;
  private final InstantSource clock;
  private final Runnable announceSoon;
  private final LabelledCounters<Way> counters;
  private volatile boolean isUnenrolled; // it drains because of that, not by an operator's order
  // One after the other, in the order in which they came: the last one must be in force.
  private final Executor orders =
      Executors.newSingleThreadExecutor(Thread.ofVirtual().name("drain-orders").factory());

  /// @param server throws [IllegalStateException] before the start
  /// @param announceSoon tells the bridge the present state
  Drains(
      Supplier<ControlServer> server,
      InstantSource clock,
      Runnable announceSoon,
      MeterRegistry registry) {
    this.server = server;
    this.clock = clock;
    this.announceSoon = announceSoon;
    this.counters =
        LabelledCounters.register(
            registry,
            "viaduct_drain_orders",
            "Orders to drain or to serve again that were carried out, by way",
            "way",
            Way.class);
  }

  /// Returns the actions by path, for a way.
  Map<String, OperationsAction> actions(Way way) {
    return Map.of(
        DRAIN,
        (caller, parameters) ->
            set(way, caller, new DrainStatus(true, deadlineMs(parameters, clock.millis()))),
        UNDRAIN,
        (caller, _) -> set(way, caller, DrainStatus.SERVING));
  }

  /// Drains without a deadline.
  void onSignal() {
    try {
      var unused = set(Way.SIGNAL, "SIG" + SIGNAL, new DrainStatus(true, 0));
    } catch (IllegalStateException e) {
      LOG.warn("SIG{} has no effect: {}", SIGNAL, e.getMessage());
    }
  }

  /// Carries out an order that an operator has given to the bridge, after those before it. Does not
  /// block.
  @Override
  public void onOrder(DrainOrder order) {
    orders.execute(() -> {
      try {
        var unused = set(Way.BRIDGE, order.getBy(), wanted(order, clock.millis()));
      } catch (IllegalStateException | IllegalArgumentException e) {
        LOG.warn("an order of the bridge has no effect: {}", e.getMessage());
      }
    });
  }

  /// Drains while this SNAPT is not enrolled, because its reports are refused then: its devices
  /// would be charged nothing. A drain that an operator has ordered stays his. Does not block.
  @Override
  public void onEnrolment(boolean isEnrolled) {
    if (isEnrolled != isUnenrolled) {
      return; // the usual case, at each status
    }
    orders.execute(() -> {
      try {
        enrolment(isEnrolled);
      } catch (IllegalStateException e) {
        LOG.debug("the enrolment has no effect: {}", e.getMessage());
      }
    });
  }

  private synchronized void enrolment(boolean isEnrolled) {
    if (isEnrolled && isUnenrolled) {
      var unused = set(Way.ENROLMENT, "the bridge: enrolled again", DrainStatus.SERVING);
    } else if (!isEnrolled && !server.get().drain().status().draining()) {
      var unused = set(Way.ENROLMENT, "the bridge: not enrolled", new DrainStatus(true, 0));
      isUnenrolled = true;
    }
  }

  private static DrainStatus wanted(DrainOrder order, long nowMs) {
    if (!order.getDraining()) {
      return DrainStatus.SERVING;
    }
    long deadlineMs = order.getDeadlineMs();
    long lastMs = nowMs + DEADLINE_MAX.toMillis();
    if (deadlineMs != 0 && (deadlineMs <= nowMs || deadlineMs > lastMs)) {
      throw new IllegalArgumentException(
          "the deadline must be after %s and at most 7 days later, got %s: compare the clocks of bridge and SNAPT"
              .formatted(Instant.ofEpochMilli(nowMs), Instant.ofEpochMilli(deadlineMs)));
    }
    return new DrainStatus(true, deadlineMs);
  }

  private synchronized DrainStatus set(Way way, String who, DrainStatus wanted) {
    if (wanted.draining()) {
      server.get().drain().begin(wanted.deadlineMs());
    } else {
      server.get().drain().end();
    }
    isUnenrolled = false;
    counters.increment(way);
    LOG.info(
        "{} by {} ({})",
        wanted.draining()
            ? "drains"
                + (wanted.deadlineMs() == 0
                    ? ""
                    : " until " + Instant.ofEpochMilli(wanted.deadlineMs()))
            : "serves again,",
        who,
        way);
    announceSoon.run();
    return wanted;
  }

  private static long deadlineMs(Map<String, String> parameters, long nowMs) {
    String text = parameters.getOrDefault(DEADLINE, "");
    if (text.isEmpty()) {
      return 0;
    }
    try {
      long ms = Long.parseLong(text);
      if (ms > 0 && ms <= DEADLINE_MAX.toMillis()) {
        return nowMs + ms;
      }
    } catch (NumberFormatException _) {
      // refused below
    }
    throw new IllegalArgumentException(
        "%s must be from 1 to %d, got '%s'".formatted(DEADLINE, DEADLINE_MAX.toMillis(), text));
  }
}
