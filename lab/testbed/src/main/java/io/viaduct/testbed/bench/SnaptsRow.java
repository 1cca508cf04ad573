package io.viaduct.testbed.bench;

import io.viaduct.testbed.moving.DrainUnderLoad;
import io.viaduct.testbed.moving.KilledSnapt;
import io.viaduct.testbed.moving.Revocation;
import io.viaduct.testbed.moving.RollingUpgrade;
import io.viaduct.testbed.moving.SecondSession;
import io.viaduct.testbed.moving.TwoGateways;
import io.viaduct.testbed.moving.Watching;
import java.util.List;

/// A row of `bench snapts`: a laboratory, and the goals for the numbers that it prints.
///
/// @param name on the command line and in files
/// @param title one line for people
/// @param type main class of the laboratory
/// @param values how many numbers of each reading one run prints
/// @param goals the title of a reading is the name that the laboratory prints
record SnaptsRow(String name, String title, Class<?> type, int values, List<HandoverGoal> goals) {
  private static final Reading BROKEN = count("broken", DrainUnderLoad.BROKEN);

  /// Returns all rows in the order of the table.
  static List<SnaptsRow> all() {
    return List.of(
        of(
            "two-gateways",
            "two gateways of 10 Mbit/s with different delay, two SNAPTs, HT&LD beside HT&HD",
            TwoGateways.class,
            HandoverGoal.atLeast(new Reading("sumRatio", TwoGateways.SUM, "×"), Statistic.P50, 1.8),
            none(count("farBytes", TwoGateways.FAR_BYTES))),
        of(
            "drain",
            "drain under load and death of the neighbour: 50 TCP flows, a call, a bulk flow",
            DrainUnderLoad.class,
            none(BROKEN),
            none(count("brokenByKill", DrainUnderLoad.BROKEN_BY_KILL)),
            none(count("bulkEnded", DrainUnderLoad.BULK_ENDED)),
            HandoverGoal.of(
                new Reading("gapMs", DrainUnderLoad.GAP_MS, "ms"), Statistic.WORST, 100)),
        of(
            "rolling-upgrade",
            "three SNAPTs upgraded one after the other, two devices under load",
            RollingUpgrade.class,
            none(BROKEN),
            none(count("reportsLost", RollingUpgrade.LOST)),
            none(count("billedTwice", RollingUpgrade.TWICE))),
        new SnaptsRow(
            "killed",
            "SNAPT killed with SIGKILL, a neighbour available",
            KilledSnapt.class,
            KilledSnapt.KILLS,
            List.of(
                HandoverGoal.of(
                    new Reading("servedMs", KilledSnapt.SERVED_MS, "ms"), Statistic.P95, 300))),
        new SnaptsRow(
            "revocation",
            "a user is suspended, a device is removed; a session at each of two SNAPTs",
            Revocation.class,
            Revocation.ROUNDS,
            List.of(
                HandoverGoal.of(
                    new Reading("suspendedMs", Revocation.SUSPENDED_MS, "ms"),
                    Statistic.P99,
                    1_000),
                HandoverGoal.of(
                    new Reading("removedMs", Revocation.REMOVED_MS, "ms"), Statistic.P99, 1_000))),
        of(
            "watching",
            "ten more SNAPTs are watched, with a call and idle",
            Watching.class,
            HandoverGoal.of(
                new Reading("watchingKbit", Watching.KBIT, "kbit/s"), Statistic.WORST, 1.5),
            HandoverGoal.of(
                new Reading("watchingCorePercent", Watching.CORE_PERCENT, "%"), Statistic.P50, 0.3),
            none(count("idlePackets", Watching.IDLE_PACKETS))),
        of(
            "second-session",
            "a second session in the agent, one TCP flow",
            SecondSession.class,
            HandoverGoal.atLeast(
                new Reading("throughputRatio", SecondSession.RATIO, "×"), Statistic.P50, 0.97)));
  }

  private static SnaptsRow of(String name, String title, Class<?> type, HandoverGoal... goals) {
    return new SnaptsRow(name, title, type, 1, List.of(goals));
  }

  private static Reading count(String id, String title) {
    return new Reading(id, title, "");
  }

  private static HandoverGoal none(Reading reading) {
    return HandoverGoal.of(reading, Statistic.SUM, 0);
  }
}
