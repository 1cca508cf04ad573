package io.viaduct.testbed.chaos;

import io.viaduct.testbed.chaos.ChaosPlan.Point;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// Passes the points of a plan, and checks the bill after some of them and at the end.
final class ChaosRun {
  private static final int POINTS_PER_BILL = 20;
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(180);
  private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(20);

  private final ChaosLab lab;
  private final ChaosPlan plan;
  private final ChaosLog log;
  private final LongSupplier nanoTime;
  private final Injector injector;
  private final Bill bill;
  private final List<Double> recoveries = new ArrayList<>();

  ChaosRun(ChaosLab lab, ChaosPlan plan, ChaosLog log, LongSupplier nanoTime) {
    this.lab = lab;
    this.plan = plan;
    this.log = log;
    this.nanoTime = nanoTime;
    injector = new Injector(lab);
    bill = new Bill(lab, log, nanoTime);
  }

  /// Passes the points behind `done` up to the last one, or until the time is over.
  ///
  /// @param done points of earlier runs, which are drawn but not passed
  /// @return each rule that was broken; the run ends with the first bill that is wrong
  List<String> pass(int done, int last, long endNs) throws IOException {
    for (int skipped = 0; skipped < done; skipped++) {
      var unused = plan.next();
    }
    awaitCarrying(nanoTime.getAsLong());
    int number = done;
    while (number < last && nanoTime.getAsLong() - endNs < 0) {
      Point point = plan.next();
      number = point.number();
      pass(point);
      boolean isLast = number == last || nanoTime.getAsLong() - endNs >= 0;
      if (isLast || number % POINTS_PER_BILL == 0) {
        List<String> broken = bill(number);
        if (!broken.isEmpty()) {
          return broken;
        }
      }
    }
    summary(number - done);
    return List.of();
  }

  private void pass(Point point) throws IOException {
    sleep(point.before().toNanos());
    injector.inject(point.fault());
    long brokenNs = nanoTime.getAsLong();
    if (point.fault().isLasting()) {
      sleep(point.length().toNanos());
      injector.heal(point.fault());
    }
    long healedNs = nanoTime.getAsLong();
    awaitCarrying(healedNs);
    double seconds = (nanoTime.getAsLong() - healedNs) / 1e9;
    recoveries.add(seconds);
    log.line(
        "point %3d  %-30s lasted %5.1f s, recovered after %5.1f s",
        point.number(), point.fault(), (healedNs - brokenNs) / 1e9, seconds);
  }

  /// Waits until all services are ready, billing answers, and both flows have heard something
  /// since.
  private void awaitCarrying(long sinceNs) throws IOException {
    long endNs = nanoTime.getAsLong() + PATIENCE_NS;
    lab.deployment.awaitReady();
    lab.awaitBroker();
    lab.deployment.awaitReady(); // one that depends on another may have ended meanwhile
    var unused = lab.operator();
    for (CountedLoad load : lab.loads()) {
      while (load.flow().lastHeardNs() - sinceNs <= 0) {
        if (nanoTime.getAsLong() - endNs > 0) {
          throw new IllegalStateException(
              "%s: nothing is carried 180 s after the fault".formatted(load.remote()));
        }
        String gaveUp = log.gaveUp();
        if (gaveUp != null) {
          throw new IllegalStateException(gaveUp);
        }
        sleep(POLL_NS);
      }
    }
  }

  private List<String> bill(int point) throws IOException {
    lab.loads().forEach(load -> load.flow().pause(true));
    List<String> broken = bill.check();
    log.line("bill after point %d: %s", point, broken.isEmpty() ? "ok" : String.join("; ", broken));
    lab.loads().forEach(load -> load.flow().pause(false));
    return broken;
  }

  private void summary(int points) {
    Collections.sort(recoveries);
    log.line(
        "%d points; recovery: median %.1f s, longest %.1f s; restarted: %s",
        points,
        recoveries.isEmpty() ? 0 : recoveries.get(recoveries.size() / 2),
        recoveries.isEmpty() ? 0 : recoveries.getLast(),
        lab.deployment.restarted());
  }

  private void sleep(long nanoseconds) {
    long endNs = nanoTime.getAsLong() + nanoseconds;
    for (long leftNs = nanoseconds; leftNs > 0; leftNs = endNs - nanoTime.getAsLong()) {
      LockSupport.parkNanos(leftNs);
    }
  }
}
