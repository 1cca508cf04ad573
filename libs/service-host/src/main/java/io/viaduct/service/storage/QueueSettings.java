package io.viaduct.service.storage;

import java.nio.file.Path;
import java.time.Duration;

/// Settings of a [DeliveryQueue].
///
/// @param directory created with mode 700
/// @param most entries in the queue; further ones are refused
/// @param window sessions with an entry in flight, or with one that waits to be sent again
/// @param retry wait after an entry got no answer
public record QueueSettings(Path directory, int most, int window, Duration retry) {
  public QueueSettings {
    if (most < 1 || window < 1 || retry.toMillis() < 1) {
      throw new IllegalArgumentException(
          "need most, window >= 1 and retry >= 1 ms, got " + most + ", " + window + ", " + retry);
    }
  }
}
