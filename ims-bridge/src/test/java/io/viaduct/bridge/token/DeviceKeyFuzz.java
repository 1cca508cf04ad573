package io.viaduct.bridge.token;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes the body of a SUBSCRIBE. Rule: the result is a key of 32 bytes, or an
/// IllegalArgumentException.
final class DeviceKeyFuzz {
  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    try {
      if (SessionDocument.deviceKey(new String(input, StandardCharsets.UTF_8)).length != 32) {
        throw new AssertionError("a key of another length");
      }
    } catch (IllegalArgumentException _) {
      return; // answered with 400
    }
  }

  static List<byte[]> seeds() {
    return List.of(
        ("{\"deviceKey\":\"" + "A".repeat(43) + "\"}").getBytes(StandardCharsets.UTF_8),
        "{\"deviceKey\":[1]}".getBytes(StandardCharsets.UTF_8));
  }
}
