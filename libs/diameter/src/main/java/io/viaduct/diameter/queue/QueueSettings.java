package io.viaduct.diameter.queue;

import java.nio.file.Path;
import java.time.Duration;

/// Settings of a queue.
///
/// @param directory created with mode 700
/// @param most requests in the queue; further ones are refused
/// @param window requests in flight
/// @param retry wait after a request got no answer; a peer that becomes available ends it
public record QueueSettings(Path directory, int most, int window, Duration retry) {
  public QueueSettings {
    if (most < 1 || window < 1 || retry.toMillis() < 1) {
      throw new IllegalArgumentException(
          "need most, window >= 1 and retry >= 1 ms, got " + most + ", " + window + ", " + retry);
    }
  }
}
