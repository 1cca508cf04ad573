package io.viaduct.testbed.chaos;

import io.viaduct.testbed.process.SupervisedService;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The lines of a run, printed and appended to a file that outlives it. Thread-safe.
final class ChaosLog implements SupervisedService.Listener {
  private static final Pattern BILLED = Pattern.compile("bill after point (\\d+): ok");

  private final PrintStream out;
  private final Path file;
  private final LongSupplier nanoTime;
  private final long startNs;
  private volatile @Nullable String gaveUp;

  ChaosLog(PrintStream out, Path file, LongSupplier nanoTime) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    this.out = out;
    this.file = file;
    this.nanoTime = nanoTime;
    this.startNs = nanoTime.getAsLong();
  }

  /// Returns the last point whose bill was right in earlier runs with this file; 0 without one.
  static int lastBilled(Path file) throws IOException {
    if (!Files.exists(file)) {
      return 0;
    }
    return BILLED
        .matcher(Files.readString(file))
        .results()
        .mapToInt(found -> Integer.parseInt(found.group(1)))
        .max()
        .orElse(0);
  }

  synchronized void line(String format, @Nullable Object... values) {
    double seconds = (nanoTime.getAsLong() - startNs) / 1e9;
    String line =
        String.format(Locale.ROOT, "%7.1f s  ", seconds)
            + String.format(Locale.ROOT, format, values);
    out.println(line);
    out.flush();
    try {
      Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void restarted(String service, String how, int times) {
    line("           %s %s and was started again", service, how);
  }

  @Override
  public void gaveUp(String service, String why) {
    gaveUp = why;
    line("           %s", why);
  }

  /// Returns why a service was given up; null while all are kept running.
  @Nullable String gaveUp() {
    return gaveUp;
  }
}
