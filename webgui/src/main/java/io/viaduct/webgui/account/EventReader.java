package io.viaduct.webgui.account;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/// Reads a server-sent event stream (WHATWG HTML section 9.2.6) as far as needed to know that
/// something changed: the names of its events. Their data is skipped unread, the page asks for the
/// present state instead.
final class EventReader {
  private static final Set<String> CHANGES = Set.of("balance", "charge");
  private static final int NAME_LENGTH_MAX = 32;
  private static final String EVENT = "event:";

  private EventReader() {}

  /// Blocks until the stream ends.
  static void read(InputStream stream, Runnable onChange) throws IOException {
    InputStream in = new BufferedInputStream(stream);
    byte[] head = new byte[EVENT.length() + NAME_LENGTH_MAX];
    int length = 0;
    boolean pending = false;
    for (int octet = in.read(); octet >= 0; octet = in.read()) {
      if (octet == '\r') {
        continue;
      }
      if (octet != '\n') {
        if (length < head.length) {
          head[length] = (byte) octet;
        }
        length++; // counts on, so that a longer line is known to be cut
        continue;
      }
      if (length == 0 && pending) {
        onChange.run();
        pending = false;
      }
      pending |= length <= head.length && namesChange(head, length);
      length = 0;
    }
  }

  private static boolean namesChange(byte[] head, int length) {
    String line = new String(head, 0, length, StandardCharsets.UTF_8);
    return line.startsWith(EVENT) && CHANGES.contains(line.substring(EVENT.length()).strip());
  }
}
