package io.viaduct.cnapt.operations;

import io.viaduct.cnapt.policy.PathStatus;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Formats the paths of a running agent as text.
public final class PathsText {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final String ROW =
      "%-4s %-15s %-15s %-7s %-6s %9s %9s %7s %7s %6s %9s %10s %8s  %s%n";

  private PathsText() {}

  /// Returns the list of paths as JSON.
  ///
  /// @param status the agent's status as JSON
  public static String json(String status) {
    return JSON.writerWithDefaultPrettyPrinter()
            .writeValueAsString(JSON.readTree(status).path("paths"))
        + "\n";
  }

  /// Returns a table with one line per path.
  ///
  /// @param status the agent's status as JSON
  public static String table(String status) {
    JsonNode list = JSON.readTree(status).path("paths");
    List<PathStatus> paths = Arrays.asList(JSON.treeToValue(list, PathStatus[].class));
    if (paths.isEmpty()) {
      return "no path: the agent has no session\n";
    }
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            ROW,
            "path",
            "link",
            "to",
            "state",
            "used",
            "RTT ms",
            "usual ms",
            "up %",
            "down %",
            "MTU",
            "sent Mb/s",
            "spare Mb/s",
            "since",
            "why"));
    paths.forEach(path -> text.append(row(path)));
    return text.toString();
  }

  private static String row(PathStatus path) {
    return String.format(
        Locale.ROOT,
        ROW,
        path.id(),
        path.link(),
        path.remote(),
        path.state(),
        path.use(),
        milliseconds(path.delayMs()),
        milliseconds(path.usualDelayMs()),
        String.format(Locale.ROOT, "%.1f", path.lossPercent()),
        String.format(Locale.ROOT, "%.1f", path.downLossPercent()),
        path.pathMtu(),
        megabits(path.sentBitPerSecond()),
        megabits(path.spareBitPerSecond()),
        Duration.ofSeconds(path.sinceMs() / 1000).toString().substring(2).toLowerCase(Locale.ROOT),
        path.why());
  }

  private static String milliseconds(@Nullable Double delayMs) {
    return delayMs == null ? "-" : String.format(Locale.ROOT, "%.1f", delayMs);
  }

  private static String megabits(long bitPerSecond) {
    return bitPerSecond >= PathStatus.UNKNOWN_RATE
        ? "-"
        : String.format(Locale.ROOT, "%.2f", bitPerSecond / 1e6);
  }
}
