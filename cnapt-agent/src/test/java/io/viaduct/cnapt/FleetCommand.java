package io.viaduct.cnapt;

import io.viaduct.service.command.ExitCode;
import java.util.Locale;

/// Simulates a fleet and prints a table: `viaduct reproduce fleet [SNAPTS [DEVICES [SEED
/// [SESSIONS]]]]`.
public final class FleetCommand {
  private FleetCommand() {}

  public static void main(String[] arguments) {
    try {
      int snapts = (int) argument(arguments, 0, 100, 3, 1_000);
      int devices = (int) argument(arguments, 1, 10_000, 1, 1_000_000);
      long seed = argument(arguments, 2, 1, Long.MIN_VALUE, Long.MAX_VALUE);
      int only = (int) argument(arguments, 3, 0, 0, 2);
      for (int sessions = 1; sessions <= 2; sessions++) {
        if (only == 0 || only == sessions) {
          print(snapts, devices, sessions, seed);
        }
      }
    } catch (IllegalArgumentException e) {
      System.err.println(
          e.getMessage()
              + "; usage: viaduct reproduce fleet [SNAPTS [DEVICES [SEED [SESSIONS]]]], with"
              + " SESSIONS 1 or 2, or 0 for both");
      System.exit(ExitCode.USAGE);
    }
  }

  private static long argument(String[] of, int place, long preset, long least, long most) {
    if (place >= of.length) {
      return preset;
    }
    long value = Long.parseLong(of[place]);
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "must be from %d to %d, got %d".formatted(least, most, value));
    }
    return value;
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
