package io.viaduct.bridge.token;

import java.nio.charset.StandardCharsets;
import java.util.List;

/// Fuzzes the body of a SUBSCRIBE. Rule: the result is a key of 32 bytes, or an
/// IllegalArgumentException.
public final class DeviceKeyFuzz {
  private DeviceKeyFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    try {
      if (SessionDocument.deviceKey(new String(input, StandardCharsets.UTF_8)).length != 32) {
        throw new AssertionError("a key of another length");
      }
    } catch (IllegalArgumentException _) {
      return; // answered with 400
    }
  }

  public static List<byte[]> seeds() {
    return List.of(
        ("{\"deviceKey\":\"" + "A".repeat(43) + "\"}").getBytes(StandardCharsets.UTF_8),
        "{\"deviceKey\":[1]}".getBytes(StandardCharsets.UTF_8));
  }
}
