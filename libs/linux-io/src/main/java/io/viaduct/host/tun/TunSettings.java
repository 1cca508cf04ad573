package io.viaduct.host.tun;

import io.viaduct.host.linux.IfTun;
import java.nio.charset.StandardCharsets;

/// Settings of a TUN device.
///
/// @param name at most 15 bytes; `%d` in it lets the kernel choose a number
/// @param queues one per event loop that reads; packets of one flow stay on one queue
public record TunSettings(String name, int queues) {
  /// Longest name in bytes (IFNAMSIZ without its final zero).
  static final int NAME_BYTES_MAX = 15;

  /// Checks the name and the number of queues.
  public TunSettings {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes < 1 || bytes > NAME_BYTES_MAX || name.contains("/") || name.contains(" ")) {
      throw new IllegalArgumentException(
          "a TUN device's name must be 1 to %d bytes without blank or slash, got '%s'"
              .formatted(NAME_BYTES_MAX, name));
    }
    if (queues < 1 || queues > IfTun.MAX_TAP_QUEUES) {
      throw new IllegalArgumentException(
          "a TUN device must have 1 to %d queues, got %d".formatted(IfTun.MAX_TAP_QUEUES, queues));
    }
  }
}
