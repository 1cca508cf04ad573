package io.viaduct.testbed.lab;

import io.viaduct.testbed.report.Table;
import io.viaduct.testbed.topology.WeatheredCable;
import io.viaduct.testbed.weather.Direction;
import io.viaduct.testbed.weather.Fate;
import io.viaduct.testbed.weather.LinkCounters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Commands that show counters and rates.
final class WatchCommands {
  private static final List<Fate> SHOWN =
      Arrays.stream(Fate.values()).filter(fate -> !fate.name().endsWith("BYTES")).toList();

  private WatchCommands() {}

  /// Returns the counters of all cables and directions, the kernel's drops last.
  private static List<long[]> counts(LabSession session) {
    var all = new ArrayList<long[]>();
    for (WeatheredCable cable : session.topology().weatheredCables()) {
      for (Direction direction : Direction.values()) {
        LinkCounters counters = cable.weathered().counters(direction);
        long[] row = new long[Fate.values().length + 1];
        for (Fate fate : Fate.values()) {
          row[fate.ordinal()] = counters.get(fate);
        }
        row[row.length - 1] = cable.droppedByKernel(direction);
        all.add(row);
      }
    }
    return all;
  }

  private static List<String> names(LabSession session) {
    var names = new ArrayList<String>();
    for (WeatheredCable cable : session.topology().weatheredCables()) {
      for (Direction direction : Direction.values()) {
        names.add(
            "%s %s %s"
                .formatted(
                    cable.device().name(),
                    cable.link().device(),
                    direction.name().toLowerCase(Locale.ROOT)));
      }
    }
    return names;
  }

  private static String title(Fate fate) {
    return fate.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /// `counters`.
  @Command(name = "counters", description = "packets since the start, and each drop by its reason")
  static final class Counters implements Runnable {
    private final LabSession session;

    Counters(LabSession session) {
      this.session = session;
    }

    @Override
    public void run() {
      var heads = new ArrayList<>(List.of("link"));
      SHOWN.forEach(fate -> heads.add(title(fate)));
      heads.add("kernel");
      var table = new Table().row(heads);
      List<String> names = names(session);
      List<long[]> counts = counts(session);
      for (int at = 0; at < names.size(); at++) {
        long[] row = counts.get(at);
        var cells = new ArrayList<>(List.of(names.get(at)));
        SHOWN.forEach(fate -> cells.add(String.valueOf(row[fate.ordinal()])));
        cells.add(String.valueOf(row[row.length - 1]));
        table.row(cells);
      }
      session.out().print(table);
      for (Fate fate : SHOWN) {
        session.out().printf("  %-11s %s%n", title(fate), fate.meaning());
      }
      session
          .out()
          .println(
              "  kernel      dropped by the kernel: the device was down, or the impairer got no processor in time");
    }
  }

  /// `watch`.
  @Command(name = "watch", description = "rates and drops of each second: watch --seconds 10")
  static final class Watch implements Callable<Integer> {
    private final LabSession session;

    @Option(names = "--seconds", description = "how long (default ${DEFAULT-VALUE})")
    private int seconds = 5;

    Watch(LabSession session) {
      this.session = session;
    }

    @Override
    public Integer call() throws InterruptedException {
      if (seconds < 1 || seconds > 86_400) {
        throw new IllegalArgumentException(
            "--seconds is %d: it must be from 1 to 86400".formatted(seconds));
      }
      List<long[]> before = counts(session);
      long beforeNs = System.nanoTime();
      for (int second = 0; second < seconds; second++) {
        Thread.sleep(Duration.ofSeconds(1));
        List<long[]> after = counts(session);
        long afterNs = System.nanoTime();
        session.out().println(table(before, after, (afterNs - beforeNs) / 1e9));
        before = after;
        beforeNs = afterNs;
      }
      return 0;
    }

    private String table(List<long[]> before, List<long[]> after, double elapsed) {
      var table =
          new Table()
              .row(
                  List.of(
                      "link",
                      "in Mbit/s",
                      "out Mbit/s",
                      "in 1/s",
                      "out 1/s",
                      "drops 1/s",
                      "reasons"));
      List<String> names = names(session);
      for (int at = 0; at < names.size(); at++) {
        long[] old = before.get(at);
        long[] now = after.get(at);
        table.row(
            List.of(
                names.get(at),
                mbit(old, now, Fate.OFFERED_BYTES, elapsed),
                mbit(old, now, Fate.DELIVERED_BYTES, elapsed),
                number((now[Fate.OFFERED.ordinal()] - old[Fate.OFFERED.ordinal()]) / elapsed),
                number((now[Fate.DELIVERED.ordinal()] - old[Fate.DELIVERED.ordinal()]) / elapsed),
                number(drops(old, now) / elapsed),
                reasons(old, now)));
      }
      return table.toString();
    }

    private static long drops(long[] old, long[] now) {
      long sum = now[now.length - 1] - old[old.length - 1];
      for (Fate fate : SHOWN) {
        sum += fate.isDrop() ? now[fate.ordinal()] - old[fate.ordinal()] : 0;
      }
      return sum;
    }

    private static String reasons(long[] old, long[] now) {
      var reasons = new ArrayList<String>();
      for (Fate fate : SHOWN) {
        long count = now[fate.ordinal()] - old[fate.ordinal()];
        if (fate.isDrop() && count > 0) {
          reasons.add(title(fate) + " " + count);
        }
      }
      long kernel = now[now.length - 1] - old[old.length - 1];
      if (kernel > 0) {
        reasons.add("kernel " + kernel);
      }
      return reasons.isEmpty() ? "–" : String.join(", ", reasons);
    }

    private static String mbit(long[] old, long[] now, Fate bytes, double elapsed) {
      return String.format(
          Locale.ROOT, "%.2f", (now[bytes.ordinal()] - old[bytes.ordinal()]) * 8 / elapsed / 1e6);
    }

    private static String number(double value) {
      return String.format(Locale.ROOT, "%.0f", value);
    }
  }
}
