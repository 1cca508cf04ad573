package io.viaduct.webgui.account;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// A stream of server-sent events. Rule: no exception, and never more changes than empty lines.
final class EventFuzz {
  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    int[] changes = {0};
    try {
      EventReader.read(new ByteArrayInputStream(input), () -> changes[0]++);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    int ends = 0;
    for (byte octet : input) {
      ends += octet == '\n' ? 1 : 0;
    }
    if (changes[0] > ends / 2) {
      throw new AssertionError(changes[0] + " changes in " + ends + " lines");
    }
  }

  static List<byte[]> seeds() {
    return List.of(
        "event: balance\ndata: {}\n\nevent:charge\r\n\r\n".getBytes(StandardCharsets.UTF_8),
        ": hello\n\nevent: other\n\n".getBytes(StandardCharsets.UTF_8));
  }
}
