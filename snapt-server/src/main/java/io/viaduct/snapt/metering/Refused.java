package io.viaduct.snapt.metering;

/// Packets of the device that were dropped behind the tunnel in the open interval: nobody pays for
/// them.
final class Refused {
  private long packets;
  private long bytes;

  void add(int ofPackets, int ofBytes) {
    packets += ofPackets;
    bytes += ofBytes;
  }

  long packets() {
    return packets;
  }

  /// Inner bytes.
  long bytes() {
    return bytes;
  }

  /// Whether all that came was refused and nothing went back: then it is no line of the bill, and
  /// its outer bytes are overhead.
  boolean wholly(IntervalCounters up, IntervalCounters down) {
    return packets > 0 && up.packets() == packets && down.packets() == 0;
  }

  /// The next interval begins here.
  void roll() {
    packets = 0;
    bytes = 0;
  }
}
