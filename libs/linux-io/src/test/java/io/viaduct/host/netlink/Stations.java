package io.viaduct.host.netlink;

import java.nio.ByteOrder;
import java.util.HexFormat;
import org.junit.jupiter.api.Assumptions;

/// Messages of generic netlink, of a little-endian machine. Those of the controller were captured
/// from Linux 6.18. No wireless hardware was there to record stations from, so these are written by
/// hand after linux/nl80211.h, with the attributes and the order of `nl80211_send_station`.
final class Stations {
  static final int FAMILY = 0x1c;

  /// The captured answer of a kernel without wireless drivers: ENOENT.
  static final String ABSENT =
      "34000000020000000700000025350000feffffff20000000100001000700000000000000030100000c000200"
          + "6e6c383032313100";

  /// The captured description of the family `nlctrl`.
  static final String CONTROLLER =
      "88000000100000000700000025350000010200000b0002006e6c6374726c0000060001001000000008000300"
          + "02000000080004000000000008000500000000002c0006001400010008000100030000000800020"
          + "00e00000014000200080001000a000000080002000c0000001c0007001800010008000200100000"
          + "000b0001006e6f746966790000";

  /// By hand: the family `nl80211` has number 0x1c.
  static final String PRESENT =
      "28000000100000000100000025350000010200000c0002006e6c383032313100060001001c000000";

  /// By hand: sequence 1 is acknowledged.
  static final String ACKNOWLEDGED =
      "240000000200000001000000253500000000000020000000100005000100000025350000";

  private static final String STATION_HEAD = "1c0002000200000025350000" + "13010000";

  /// By hand: the access point of link 3, −57 dBm now and −61 dBm smoothed, with the time of
  /// inactivity and the signals of two chains (CHAIN_SIGNAL, 25) beside them.
  static final String STATION =
      "58000000"
          + STATION_HEAD
          + "0800030003000000" // IFINDEX 3
          + "0a00060002aabbccddee0000" // MAC
          + "08002e0007000000" // GENERATION
          + "28001580" // STA_INFO, nested
          + "080001000c000000" // INACTIVE_TIME
          + "05000700c7000000" // SIGNAL −57
          + "05000d00c3000000" // SIGNAL_AVG −61
          + "0c001980" // CHAIN_SIGNAL, nested
          + "05000000c7000000";

  /// By hand: as before, from a driver that does not smooth.
  static final String STATION_WITHOUT_MEAN =
      "28000000" + STATION_HEAD + "0800030003000000" + "0c001580" + "05000700b0000000";

  /// By hand: the end of dump 2.
  static final String DONE = "1400000003000200020000002535000000000000";

  /// By hand: the kernel refuses dump 2, because the link is not wireless (EINVAL).
  static final String REFUSED =
      "24000000020000000200000025350000eaffffff200000001c0001030200000000000000";

  private Stations() {}

  /// Returns [#STATION] with another smoothed signal strength.
  static String station(int dBm) {
    return STATION.replace("05000d00c3", "05000d00%02x".formatted(dBm & 0xFF));
  }

  /// Returns a message with another sequence number, in its header and not in a header that it
  /// quotes.
  static String numbered(String message, int sequence) {
    String number = "%08x".formatted(Integer.reverseBytes(sequence));
    return message.substring(0, 16) + number + message.substring(24);
  }

  static byte[] hex(String... messages) {
    Assumptions.assumeTrue(
        ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN, "written for a little-endian machine");
    return HexFormat.of().parseHex(String.join("", messages));
  }
}
