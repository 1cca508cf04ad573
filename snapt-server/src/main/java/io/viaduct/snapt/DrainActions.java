package io.viaduct.snapt;

import io.viaduct.service.operations.OperationsAction;
import io.viaduct.snapt.control.ControlServer;
import io.viaduct.snapt.control.DrainStatus;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;

/// The operator's actions on a running SNAPT: drain and undrain. The bridge is told at once.
final class DrainActions {
  static final String DRAIN = "/drain";
  static final String UNDRAIN = "/undrain";
  static final String DEADLINE = "deadline-ms";

  private static final Duration DEADLINE_MAX = Duration.ofDays(7);

  private DrainActions() {}

  /// Returns the actions by path.
  ///
  /// @param announceSoon tells the bridge the present state
  static Map<String, OperationsAction> of(
      ControlServer server, InstantSource clock, Runnable announceSoon) {
    return Map.of(
        DRAIN,
        parameters -> {
          long deadlineMs = deadlineMs(parameters, clock.millis());
          server.drain(deadlineMs);
          announceSoon.run();
          return new DrainStatus(true, deadlineMs);
        },
        UNDRAIN,
        _ -> {
          server.undrain();
          announceSoon.run();
          return DrainStatus.SERVING;
        });
  }

  private static long deadlineMs(Map<String, String> parameters, long nowMs) {
    String text = parameters.getOrDefault(DEADLINE, "");
    if (text.isEmpty()) {
      return 0;
    }
    try {
      long ms = Long.parseLong(text);
      if (ms > 0 && ms <= DEADLINE_MAX.toMillis()) {
        return nowMs + ms;
      }
    } catch (NumberFormatException _) {
      // refused below
    }
    throw new IllegalArgumentException(
        "%s must be from 1 to %d, got '%s'".formatted(DEADLINE, DEADLINE_MAX.toMillis(), text));
  }
}
