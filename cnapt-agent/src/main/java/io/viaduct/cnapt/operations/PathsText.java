package io.viaduct.cnapt.operations;

import io.viaduct.cnapt.policy.PathStatus;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Formats the paths of a running agent as text, and the path to the bridge that SIP probes measure
/// beside them ([SipLine]).
public final class PathsText {
  private static final JsonMapper JSON = JsonMapper.shared();
  static final String ROW = "%-4s %-15s %-15s %-7s %-6s %9s %9s %7s %7s %6s %9s %10s %8s  %s%n";

  private static final String SNAPT = "%-22s ";

  private PathsText() {}

  /// Returns as JSON the list `paths`, the list `links`, and the object `sip` with the probes of
  /// the bridge.
  ///
  /// @param status the agent's status as JSON
  public static String json(String status) {
    JsonNode tree = JSON.readTree(status);
    var shown = new LinkedHashMap<String, JsonNode>();
    shown.put("paths", tree.path("paths"));
    shown.put("links", tree.path("links"));
    shown.put("sip", tree.path("signalling").path("probes"));
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(shown) + "\n";
  }

  /// Returns a table with one line per path, of all SNAPTs in use, and a line per link that a
  /// captive portal shuts off.
  ///
  /// @param status the agent's status as JSON
  public static String table(String status) {
    JsonNode tree = JSON.readTree(status);
    List<PathStatus> paths =
        Arrays.asList(JSON.treeToValue(tree.path("paths"), PathStatus[].class));
    String sip = SipLine.of(tree.path("signalling").path("probes"));
    StringBuilder text = new StringBuilder();
    if (paths.isEmpty()) {
      text.append("no path: the agent has no session\n");
    }
    if (!paths.isEmpty() || !sip.isEmpty()) {
      text.append(header(isOfSeveral(paths)));
    }
    text.append(rows(paths)).append(sip);
    LinkPortalLine.of(tree).forEach(line -> text.append(line).append('\n'));
    return text.toString();
  }

  /// Returns a table with one line per path, without the probes by SIP.
  static String table(List<PathStatus> paths) {
    return header(isOfSeveral(paths)) + rows(paths);
  }

  private static boolean isOfSeveral(List<PathStatus> paths) {
    return paths.stream().map(PathStatus::snapt).distinct().count() > 1;
  }

  private static String header(boolean ofSeveral) {
    return (ofSeveral ? String.format(Locale.ROOT, SNAPT, "SNAPT") : "")
        + String.format(
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
            "why");
  }

  private static String rows(List<PathStatus> paths) {
    boolean ofSeveral = isOfSeveral(paths);
    return paths.stream()
        .map(path -> (ofSeveral ? String.format(Locale.ROOT, SNAPT, path.snapt()) : "") + row(path))
        .collect(Collectors.joining());
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
        decimal(path.delayMs()),
        decimal(path.usualDelayMs()),
        String.format(Locale.ROOT, "%.1f", path.lossPercent()),
        String.format(Locale.ROOT, "%.1f", path.downLossPercent()),
        path.pathMtu(),
        megabits(path.sentBitPerSecond()),
        megabits(path.spareBitPerSecond()),
        seconds(path.sinceMs()),
        path.why());
  }

  static String seconds(long ms) {
    return Duration.ofSeconds(ms / 1000).toString().substring(2).toLowerCase(Locale.ROOT);
  }

  static String decimal(@Nullable Double value) {
    return value == null ? "-" : String.format(Locale.ROOT, "%.1f", value);
  }

  private static String megabits(long bitPerSecond) {
    return bitPerSecond >= PathStatus.UNKNOWN_RATE
        ? "-"
        : String.format(Locale.ROOT, "%.2f", bitPerSecond / 1e6);
  }
}
