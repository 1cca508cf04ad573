package io.viaduct.cnapt;

import io.viaduct.service.command.ExitCode;
import io.viaduct.service.command.ProcessCommandLine;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Simulates a fleet and prints a table.
@Command(
    name = "viaduct reproduce fleet",
    description = "Load, delay and moves of a simulated fleet at failures, drains and slow lines.")
public final class FleetCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      arity = "0..1",
      defaultValue = "100",
      description = "number of SNAPTs, 3 to 1,000 (default ${DEFAULT-VALUE})")
  private int snapts;

  @Parameters(
      index = "1",
      arity = "0..1",
      defaultValue = "10000",
      description = "number of devices, 1 to 1,000,000 (default ${DEFAULT-VALUE})")
  private int devices;

  @Parameters(
      index = "2",
      arity = "0..1",
      defaultValue = "1",
      description = "seed of the simulation (default ${DEFAULT-VALUE})")
  private long seed;

  @Parameters(
      index = "3",
      arity = "0..1",
      defaultValue = "0",
      description = "sessions of a device: 1 or 2, or 0 for both (default ${DEFAULT-VALUE})")
  private int sessions;

  public static void main(String[] arguments) {
    System.exit(
        ProcessCommandLine.of(
                new FleetCommand(),
                failure ->
                    failure instanceof IllegalArgumentException ? ExitCode.USAGE : ExitCode.DEFECT)
            .execute(arguments));
  }

  @Override
  public Integer call() {
    require("SNAPTS", snapts, 3, 1_000);
    require("DEVICES", devices, 1, 1_000_000);
    require("SESSIONS", sessions, 0, 2);
    for (int each = 1; each <= 2; each++) {
      if (sessions == 0 || sessions == each) {
        print(snapts, devices, each, seed);
      }
    }
    return ExitCode.OK;
  }

  private static void require(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s must be from %d to %d, got %d".formatted(name, least, most, value));
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
