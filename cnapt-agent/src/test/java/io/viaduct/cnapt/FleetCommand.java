package io.viaduct.cnapt;

import java.util.Locale;

/// Simulates a fleet and prints a table: `viaduct reproduce fleet [SNAPTS [DEVICES [SEED
/// [SESSIONS]]]]`.
public final class FleetCommand {
  private FleetCommand() {}

  public static void main(String[] arguments) {
    int snapts = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 100;
    int devices = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 10_000;
    long seed = arguments.length > 2 ? Long.parseLong(arguments[2]) : 1;
    int only = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 0;
    for (int sessions = 1; sessions <= 2; sessions++) {
      if (only == 0 || only == sessions) {
        print(snapts, devices, sessions, seed);
      }
    }
  }

  private static void print(int snapts, int devices, int sessions, long seed) {
    System.out.printf(
        Locale.ROOT,
        "%d SNAPTs, %d devices, snapts.sessions: %d, seed %d%n"
            + "%-32s %4s %9s %9s %8s %12s %9s %8s %8s %7s%n",
        snapts,
        devices,
        sessions,
        seed,
        "",
        "min",
        "max/mean",
        "at end",
        "p99 ms",
        "moves/device",
        "most",
        "returns",
        "resets",
        "waits");
    Fleet fleet = new Fleet(snapts, devices, sessions, seed);
    for (FleetScenario each : FleetScenario.values()) {
      Fleet.Outcome seen = each.of(fleet, each.minutes());
      System.out.printf(
          Locale.ROOT,
          "%-32s %4d %9.2f %9.2f %8.1f %12.3f %9d %8d %8d %7d%n",
          each.words,
          each.minutes(),
          seen.peak(),
          seen.end(),
          seen.delayMs(),
          seen.moves(),
          seen.movesMax(),
          seen.returns(),
          seen.resets(),
          seen.waits());
    }
    System.out.println();
  }
}
