package io.viaduct.testbed.sip;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/// The files that sipp wrote in one run: the last line of its statistics, and the times of the
/// exchanges.
///
/// @param refused exchanges that ended with another answer than the expected one, also in `failed`
/// @param timesMs of the exchanges that succeeded, ascending
record SippFiles(
    long succeeded, long failed, long refused, long retransmissions, double[] timesMs) {
  private static final String SEPARATOR = ";";

  /// Reads the files.
  ///
  /// @param statistics of the option `-trace_stat`
  /// @param times of the option `-trace_rtt`; it is missing if no exchange succeeded
  /// @throws IOException if a file cannot be read, or has not the columns of sipp 3.6
  static SippFiles read(Path statistics, Path times) throws IOException {
    List<String> lines = Files.readAllLines(statistics);
    List<String> names = List.of(lines.getFirst().split(SEPARATOR));
    List<String> last = List.of(lines.getLast().split(SEPARATOR));
    double[] ms = Files.exists(times) ? times(times) : new double[0];
    return new SippFiles(
        value(names, last, "SuccessfulCall(C)"),
        value(names, last, "FailedCall(C)"),
        value(names, last, "FailedUnexpectedMessage(C)"),
        value(names, last, "Retransmissions(C)"),
        ms);
  }

  private static long value(List<String> names, List<String> values, String name)
      throws IOException {
    int at = names.indexOf(name);
    if (at < 0 || at >= values.size()) {
      throw new IOException("sipp's statistics have no column " + name + ": " + names);
    }
    return Long.parseLong(values.get(at).strip());
  }

  // Lines: time of day; duration in ms; number of the timer.
  private static double[] times(Path file) throws IOException {
    double[] ms =
        Files.readAllLines(file).stream()
            .map(line -> line.split(SEPARATOR))
            .filter(cells -> cells.length >= 2 && Character.isDigit(cells[1].strip().charAt(0)))
            .mapToDouble(cells -> Double.parseDouble(cells[1]))
            .toArray();
    Arrays.sort(ms);
    return ms;
  }

  /// Returns the time that a share of the exchanges did not exceed, in ms; NaN without any.
  double percentile(double share) {
    return timesMs.length == 0
        ? Double.NaN
        : timesMs[(int) Math.min(timesMs.length - 1, share * timesMs.length)];
  }
}
