package io.viaduct.testbed.sessions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Received bytes and packets of a network device of this thread's namespace, from `/proc/net/dev`
/// (proc(5)). A loopback device receives all packets sent through it, counted as IP bytes. A TUN
/// device receives the packets that its program writes.
record PortBytes(long bytes, long packets) {
  private static final Path FILE = Path.of("/proc/thread-self/net/dev");

  static PortBytes received(String device) throws IOException {
    for (String line : Files.readAllLines(FILE)) {
      String text = line.strip();
      if (text.startsWith(device + ":")) {
        String[] words = text.substring(device.length() + 1).strip().split(" +");
        return new PortBytes(Long.parseLong(words[0]), Long.parseLong(words[1]));
      }
    }
    throw new IllegalStateException("no device " + device);
  }

  PortBytes since(PortBytes before) {
    return new PortBytes(bytes - before.bytes, packets - before.packets);
  }
}
