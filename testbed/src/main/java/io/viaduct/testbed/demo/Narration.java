package io.viaduct.testbed.demo;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// What the demonstration tells a person, as it goes, and what it holds the system to. For any
/// thread: the supervision of the services speaks between the lines of the steps.
final class Narration {
  private final PrintStream out;
  private final LongSupplier nanoTime;
  private final long start;
  private final List<String> broken = new ArrayList<>();

  Narration(PrintStream out, LongSupplier nanoTime) {
    this.out = out;
    this.nanoTime = nanoTime;
    this.start = nanoTime.getAsLong();
  }

  /// A heading, with the seconds since the start.
  synchronized void step(String format, @Nullable Object... values) {
    double seconds = (nanoTime.getAsLong() - start) / 1e9;
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

  /// Something that must hold; the demonstration goes on and fails at its end.
  synchronized boolean hold(boolean holds, String format, @Nullable Object... values) {
    String what = text(format, values);
    out.println("     " + (holds ? "ok  " : "NOT ") + what);
    out.flush();
    if (!holds) {
      broken.add(what);
    }
    return holds;
  }

  /// What did not hold.
  synchronized List<String> broken() {
    return List.copyOf(broken);
  }

  /// Forgets what did not hold after the first `count`: it is being done once more.
  synchronized void forgetAfter(int count) {
    broken.subList(count, broken.size()).clear();
  }

  private static String text(String format, @Nullable Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
