package io.viaduct.testbed.lab;

import io.viaduct.testbed.topology.WeatheredCable;
import io.viaduct.testbed.trace.Trace;
import io.viaduct.testbed.trace.TraceRow;
import io.viaduct.testbed.weather.Direction;
import io.viaduct.testbed.weather.Loss;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Replays a trace on the links of a session, in a thread of its own.
final class Replay {
  private final LabSession session;
  private final Trace trace;
  private final double speed;
  private final Thread thread = Thread.ofPlatform().daemon().name("replay").unstarted(this::run);
  private final Map<String, Boolean> states = new HashMap<>(); // of the links; used by the thread

  /// @param speed 2 for twice as fast as the trace
  /// @throws IllegalArgumentException if a link of the trace does not exist or has no weather
  Replay(LabSession session, Trace trace, double speed) {
    this.session = session;
    this.trace = trace;
    this.speed = speed;
    if (!(speed > 0 && speed <= 1000)) {
      throw new IllegalArgumentException(
          "--speed is %s: it must be more than 0 and at most 1000".formatted(speed));
    }
    trace.links().forEach(link -> session.cables(link, ""));
  }

  void start() {
    thread.start();
  }

  void await() throws InterruptedException {
    thread.join();
  }

  void stop() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }

  private void run() {
    long startNs = System.nanoTime();
    try {
      for (TraceRow row : trace.rows()) {
        long dueNs = startNs + (long) (row.timeMs() * 1e6 / speed);
        Thread.sleep(java.time.Duration.ofNanos(Math.max(0, dueNs - System.nanoTime())));
        apply(row);
      }
      session.out().println("replay: the trace has ended; the links keep its last weather");
    } catch (InterruptedException e) {
      session.out().println("replay: stopped; the links keep the present weather");
    }
  }

  private void apply(TraceRow row) {
    Boolean wasUp = states.get(row.link());
    if (wasUp == null || wasUp != row.isUp()) {
      if (row.isUp()) {
        session.topology().restoreLink(row.link());
      } else {
        session.topology().loseLink(row.link());
      }
    }
    if (wasUp == null ? !row.isUp() : wasUp != row.isUp()) {
      String state = row.isUp() ? "up" : "down";
      session
          .out()
          .printf("replay: %.1f s: link %s goes %s%n", row.timeMs() / 1e3, row.link(), state);
    }
    states.put(row.link(), row.isUp());
    if (row.isUp()) {
      List<WeatheredCable> cables = session.cables(row.link(), "");
      for (WeatheredCable cable : cables) {
        for (Direction direction : Direction.values()) {
          var before = cable.weathered().weather(direction);
          cable
              .weathered()
              .change(
                  direction,
                  before.with(
                      Math.round(row.rttMs() * 1e6 / 2),
                      Loss.independent(row.lossPercent() / 100),
                      Math.round(row.rateMbit() * 1e6)));
        }
      }
    }
  }
}
