package io.viaduct.cnapt.signalling;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Decides when to log that the bridge grants no token, and writes the message. It logs after three
/// seconds or as soon as there is a reason, at each new reason, and then at growing intervals. Not
/// thread-safe.
final class BridgeWatch {
  static final long FIRST_MS = 3_000;
  private static final long AGAIN_MS = 10_000;
  private static final long AGAIN_MS_MAX = 300_000;
  private static final int AGAIN_FACTOR = 3;

  /// Matches a refusal with a reason text of the bridge, e.g. for a suspended account or too many
  /// devices. A user or domain that the bridge does not know is a matter of this configuration,
  /// whose keys the text cannot name.
  private static final Pattern EXPLAINED =
      Pattern.compile("(refused|subscription): (?!404|416|604)\\d{3} [^:]{1,80}: \\S");

  private static final Pattern REFUSED = Pattern.compile("refused: (\\d{3})");

  private final SignallingSettings settings;
  private long failingSinceMs = -1;
  private long dueMs;
  private long pauseMs;
  private boolean logged;
  private String loggedDetail = "";

  BridgeWatch(SignallingSettings settings) {
    this.settings = settings;
  }

  /// Checks the state of the user agent.
  ///
  /// @param granted true if registration and subscription are active
  /// @param detail the last error, or empty
  /// @return a line for the log, if one is due
  Optional<String> look(long nowMs, boolean granted, String detail) {
    if (granted) {
      return recovered(nowMs);
    }
    if (failingSinceMs < 0) {
      failingSinceMs = nowMs;
      dueMs = nowMs + FIRST_MS;
      pauseMs = AGAIN_MS;
    }
    boolean isNewDetail = !detail.isEmpty() && !detail.equals(loggedDetail);
    if (!isNewDetail && nowMs < dueMs) {
      return Optional.empty();
    }
    logged = true;
    loggedDetail = detail.isEmpty() ? loggedDetail : detail;
    dueMs = nowMs + pauseMs;
    pauseMs = Math.min(pauseMs * AGAIN_FACTOR, AGAIN_MS_MAX);
    return Optional.of(
        "no session from the bridge %s for %d s: %s"
            .formatted(where(), (nowMs - failingSinceMs) / 1000, words(loggedDetail)));
  }

  private Optional<String> recovered(long nowMs) {
    Optional<String> line =
        logged
            ? Optional.of(
                "the bridge %s answers again after %d s"
                    .formatted(where(), (nowMs - failingSinceMs) / 1000))
            : Optional.empty();
    failingSinceMs = -1;
    logged = false;
    loggedDetail = "";
    return line;
  }

  private String where() {
    return "%s:%d (%s)".formatted(settings.bridge(), settings.port(), settings.transport());
  }

  /// Returns an error of the user agent together with the configuration keys to check.
  String words(String detail) {
    if (EXPLAINED.matcher(detail).find()) {
      return detail;
    }
    Matcher refused = REFUSED.matcher(detail);
    if (refused.find()) {
      return refused(detail, Integer.parseInt(refused.group(1)));
    }
    if (detail.contains("no address for")) {
      return detail + ": check signalling.bridge, and the host's resolver";
    }
    return "%s: does the bridge run there, and does %s port %d pass every firewall? (signalling.bridge, signalling.port, signalling.transport)"
        .formatted(
            detail.isEmpty() ? "no answer yet" : detail,
            settings.transport().toUpperCase(Locale.ROOT),
            settings.port());
  }

  private String refused(String detail, int status) {
    String who = "user '%s' of domain '%s'".formatted(settings.user(), settings.domain());
    return switch (status) {
      case 401, 403, 407 ->
          "%s: the bridge refuses %s: check the password in signalling.password-file, then signalling.user and signalling.domain"
              .formatted(detail, who);
      case 404, 416, 604 ->
          "%s: the bridge knows no %s: check signalling.domain and signalling.user"
              .formatted(detail, who);
      default -> detail + ": asked as " + who;
    };
  }
}
