package io.viaduct.snapt;

import io.viaduct.service.operations.OperationsAction;
import io.viaduct.snapt.control.ControlServer;
import io.viaduct.snapt.control.DrainStatus;
import io.viaduct.snapt.reporting.BridgeConnection;
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
  static Map<String, OperationsAction> of(
      ControlServer server, InstantSource clock, BridgeConnection bridge) {
    return Map.of(
        DRAIN,
        parameters -> {
          long deadlineMs = deadlineMs(parameters, clock.millis());
          server.drain(deadlineMs);
          bridge.announceSoon();
          return new DrainStatus(true, deadlineMs);
        },
        UNDRAIN,
        _ -> {
          server.undrain();
          bridge.announceSoon();
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
