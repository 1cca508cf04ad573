package io.viaduct.testbed.topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Counts the bytes of a network device of this thread's namespace, from `/proc/net/dev` (proc(5)).
public final class PortBytes {
  private static final Path FILE = Path.of("/proc/thread-self/net/dev");
  private static final int ETHERNET_HEADER = 14;
  private static final int RECEIVED = 0; // indexes of bytes; packets follow
  private static final int SENT = 8;
  private static final int SENT_DROPPED = 11;

  private PortBytes() {}

  /// Returns the received bytes. A loopback device receives all packets sent through it, counted as
  /// IP bytes. A TUN device receives the packets that its program writes.
  public static long received(String device) throws IOException {
    return counters(device)[RECEIVED];
  }

  /// Returns the bytes of IP packets that passed an Ethernet device in both directions. The few ARP
  /// packets count too.
  public static long passed(String device) throws IOException {
    long[] counters = counters(device);
    long packets = counters[RECEIVED + 1] + counters[SENT + 1];
    return counters[RECEIVED] + counters[SENT] - ETHERNET_HEADER * packets;
  }

  /// Returns the packets that the kernel dropped before it sent them.
  public static long dropped(String device) throws IOException {
    return counters(device)[SENT_DROPPED];
  }

  private static long[] counters(String device) throws IOException {
    for (String line : Files.readAllLines(FILE)) {
      String text = line.strip();
      if (text.startsWith(device + ":")) {
        String[] words = text.substring(device.length() + 1).strip().split(" +");
        return java.util.Arrays.stream(words).mapToLong(Long::parseLong).toArray();
      }
    }
    throw new IllegalStateException("no device " + device);
  }
}
