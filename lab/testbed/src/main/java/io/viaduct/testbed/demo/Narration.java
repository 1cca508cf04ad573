package io.viaduct.testbed.demo;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Prints the progress of the demonstration for a person and collects the claims that do not hold.
/// Thread-safe: the supervision of the services prints between the lines of the steps.
final class Narration {
  private final PrintStream out;
  private final LongSupplier nanoTime;
  private final long startNs;
  private final List<String> broken = new ArrayList<>();

  Narration(PrintStream out, LongSupplier nanoTime) {
    this.out = out;
    this.nanoTime = nanoTime;
    this.startNs = nanoTime.getAsLong();
  }

  /// Prints a heading with the seconds since the start.
  synchronized void step(String format, @Nullable Object... values) {
    double seconds = (nanoTime.getAsLong() - startNs) / 1e9;
    out.printf(Locale.ROOT, "%n%5.1f s  %s%n", seconds, text(format, values));
    out.flush();
  }

  synchronized void line(String format, @Nullable Object... values) {
    out.println("         " + text(format, values));
    out.flush();
  }

  void block(String lines) {
    lines.lines().forEach(each -> line("%s", each));
  }

  /// Checks a claim. After a failed claim the demonstration continues and fails at its end.
  synchronized boolean hold(boolean holds, String format, @Nullable Object... values) {
    String what = text(format, values);
    out.println("     " + (holds ? "ok  " : "NOT ") + what);
    out.flush();
    if (!holds) {
      broken.add(what);
    }
    return holds;
  }

  /// Returns the claims that did not hold.
  synchronized List<String> broken() {
    return List.copyOf(broken);
  }

  /// Forgets failed claims after the first `count`, because their step is repeated.
  synchronized void forgetAfter(int count) {
    broken.subList(count, broken.size()).clear();
  }

  private static String text(String format, @Nullable Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
