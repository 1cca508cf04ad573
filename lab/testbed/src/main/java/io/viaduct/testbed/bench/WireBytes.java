package io.viaduct.testbed.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Counts the bytes of IP packets that passed a port in both directions, from `/proc/net/dev`
/// (proc(5)). The few ARP packets count too.
final class WireBytes {
  private static final int ETHERNET_HEADER = 14;
  private static final int RECEIVED_BYTES = 0;
  private static final int RECEIVED_PACKETS = 1;
  private static final int SENT_BYTES = 8;
  private static final int SENT_PACKETS = 9;

  private WireBytes() {}

  /// Returns the bytes at the router between device and far end, since the namespace was made.
  static long read(BenchNetwork network) {
    return network.router().call(() -> port("access"));
  }

  private static long port(String port) throws IOException {
    String line =
        Files.readString(Path.of("/proc/thread-self/net/dev"))
            .lines()
            .map(String::strip)
            .filter(text -> text.startsWith(port + ":"))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("no port " + port));
    String[] words = line.substring(port.length() + 1).strip().split(" +");
    return number(words, RECEIVED_BYTES)
        + number(words, SENT_BYTES)
        - ETHERNET_HEADER * (number(words, RECEIVED_PACKETS) + number(words, SENT_PACKETS));
  }

  private static long number(String[] words, int index) {
    return Long.parseLong(words[index]);
  }
}
