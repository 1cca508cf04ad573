package io.viaduct.webgui.account;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// A stream of server-sent events. Rule: no exception, and never more changes than empty lines.
public final class EventFuzz {
  private EventFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
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

  public static List<byte[]> seeds() {
    return List.of(
        "event: balance\ndata: {}\n\nevent:charge\r\n\r\n".getBytes(StandardCharsets.UTF_8),
        ": hello\n\nevent: other\n\n".getBytes(StandardCharsets.UTF_8));
  }
}
