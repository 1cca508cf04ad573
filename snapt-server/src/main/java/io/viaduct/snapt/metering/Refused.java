package io.viaduct.snapt.metering;

/// Counts the packets from the device that were dropped after the tunnel in the open interval. They
/// are not charged.
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

  /// Returns the inner bytes of the dropped packets.
  long bytes() {
    return bytes;
  }

  /// Returns true if all received packets were refused and none was sent back. The flow then has no
  /// line in the report, and its outer bytes count as overhead.
  boolean wholly(IntervalCounters up, IntervalCounters down) {
    return packets > 0 && up.packets() == packets && down.packets() == 0;
  }

  /// Starts the next interval at zero.
  void roll() {
    packets = 0;
    bytes = 0;
  }
}
