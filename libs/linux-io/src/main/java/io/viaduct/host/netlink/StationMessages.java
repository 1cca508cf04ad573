package io.viaduct.host.netlink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/// Writes and reads the messages that ask for the signal strength of wireless links (nl80211, over
/// generic netlink; linux/genetlink.h, linux/nl80211.h). Opens no socket. Every length is checked
/// against the bytes received. An inconsistent message is counted and skipped.
///
///     struct nlmsghdr                       struct genlmsghdr
///     |0      |4     |6      |8        |12   |16       |17       |18       |20         |
///     |length |type  |flags  |sequence |port |command  |version  |reserved |attributes |
final class StationMessages {
  /// Receives the contents of the messages.
  interface Listener {
    /// Called with the number of the family `nl80211`.
    void family(int number);

    /// Called for each station of a dump.
    ///
    /// @param linkIndex the kernel's number of the link
    /// @param dBm signal strength, below zero; smoothed where the driver does so
    void signal(int linkIndex, int dBm);

    /// Called at the end of an answer; the error is below zero, or 0.
    void ended(int sequence, int error);
  }

  private static final String FAMILY = "nl80211";
  private static final int HEADER_LENGTH = 16; // struct nlmsghdr
  private static final int GENERIC_LENGTH = 4; // struct genlmsghdr
  private static final int ATTRIBUTE_LENGTH = 4; // struct nlattr
  private static final int ERROR = 2;
  private static final int DONE = 3;
  private static final short NLM_F_REQUEST = 0x1;
  private static final short NLM_F_ACK = 0x4;
  private static final short NLM_F_DUMP = 0x300;
  private static final int CONTROLLER = 0x10; // GENL_ID_CTRL
  private static final int CTRL_CMD_NEWFAMILY = 1;
  private static final int CTRL_CMD_GETFAMILY = 3;
  private static final int CTRL_ATTR_FAMILY_ID = 1;
  private static final int CTRL_ATTR_FAMILY_NAME = 2;
  private static final int NL80211_CMD_GET_STATION = 17;
  private static final int NL80211_CMD_NEW_STATION = 19;
  private static final int NL80211_ATTR_IFINDEX = 3;
  private static final int NL80211_ATTR_STA_INFO = 21;
  private static final int NL80211_STA_INFO_SIGNAL = 7;
  private static final int NL80211_STA_INFO_SIGNAL_AVG = 13;

  private long malformed;

  /// Returns the number of messages that were skipped because their lengths are inconsistent.
  long malformed() {
    return malformed;
  }

  /// Returns the question for the number of the family `nl80211`.
  static byte[] familyRequest(int sequence) {
    byte[] name = (FAMILY + "\0").getBytes(StandardCharsets.US_ASCII);
    return request(
        CONTROLLER,
        (short) (NLM_F_REQUEST | NLM_F_ACK),
        sequence,
        CTRL_CMD_GETFAMILY,
        CTRL_ATTR_FAMILY_NAME,
        name);
  }

  /// Returns the request for the stations of a link. A device has one, its access point.
  static byte[] stationRequest(int family, int sequence, int linkIndex) {
    byte[] index =
        ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder()).putInt(linkIndex).array();
    return request(
        family,
        (short) (NLM_F_REQUEST | NLM_F_DUMP),
        sequence,
        NL80211_CMD_GET_STATION,
        NL80211_ATTR_IFINDEX,
        index);
  }

  private static byte[] request(
      int type, short flags, int sequence, int command, int attribute, byte[] value) {
    int unpadded = HEADER_LENGTH + GENERIC_LENGTH + ATTRIBUTE_LENGTH + value.length;
    ByteBuffer message =
        ByteBuffer.allocate(NetlinkAttributes.aligned(unpadded)).order(ByteOrder.nativeOrder());
    message.putInt(message.capacity()).putShort((short) type).putShort(flags);
    message.putInt(sequence).putInt(0); // the kernel fills in the port
    message.put((byte) command).put((byte) 1).putShort((short) 0);
    message.putShort((short) (ATTRIBUTE_LENGTH + value.length)).putShort((short) attribute);
    message.put(value);
    return message.array();
  }

  /// Reads the messages of one receive.
  ///
  /// @param bytes from position to limit; its order and position are changed
  /// @param family number of the family `nl80211`; 0 while it is not known
  void read(ByteBuffer bytes, int family, Listener listener) {
    bytes.order(ByteOrder.nativeOrder());
    while (bytes.remaining() >= HEADER_LENGTH) {
      int start = bytes.position();
      int length = bytes.getInt(start);
      if (length < HEADER_LENGTH || length > bytes.remaining()) {
        malformed++;
        return;
      }
      int type = Short.toUnsignedInt(bytes.getShort(start + 4));
      int sequence = bytes.getInt(start + 8);
      ByteBuffer body = bytes.slice(start + HEADER_LENGTH, length - HEADER_LENGTH);
      body.order(ByteOrder.nativeOrder());
      if (type == DONE || type == ERROR) {
        listener.ended(sequence, body.remaining() >= Integer.BYTES ? body.getInt(0) : 0);
      } else if (!message(type, family, body, listener)) {
        malformed++;
      }
      bytes.position(Math.min(bytes.limit(), start + NetlinkAttributes.aligned(length)));
    }
    if (bytes.hasRemaining()) {
      malformed++;
    }
  }

  private static boolean message(int type, int family, ByteBuffer body, Listener listener) {
    if (type != CONTROLLER && (family == 0 || type != family)) {
      return true; // a message of another family
    }
    if (body.remaining() < GENERIC_LENGTH) {
      return false;
    }
    int command = Byte.toUnsignedInt(body.get(0));
    if (type == CONTROLLER) {
      return command != CTRL_CMD_NEWFAMILY || family(body, listener);
    }
    return command != NL80211_CMD_NEW_STATION || station(body, listener);
  }

  private static boolean family(ByteBuffer body, Listener listener) {
    String name = "";
    int number = 0;
    NetlinkAttributes attributes = new NetlinkAttributes(body, GENERIC_LENGTH);
    while (attributes.next()) {
      switch (attributes.type()) {
        case CTRL_ATTR_FAMILY_NAME -> name = attributes.text();
        case CTRL_ATTR_FAMILY_ID ->
            number =
                attributes.value().limit() < Short.BYTES
                    ? 0
                    : Short.toUnsignedInt(attributes.value().getShort(0));
        default -> {}
      }
    }
    if (attributes.isBroken() || number == 0) {
      return false;
    }
    if (name.equals(FAMILY)) {
      listener.family(number);
    }
    return true;
  }

  private static boolean station(ByteBuffer body, Listener listener) {
    int link = 0;
    ByteBuffer values = null;
    NetlinkAttributes attributes = new NetlinkAttributes(body, GENERIC_LENGTH);
    while (attributes.next()) {
      switch (attributes.type()) {
        case NL80211_ATTR_IFINDEX -> link = attributes.number(0);
        case NL80211_ATTR_STA_INFO -> values = attributes.value();
        default -> {}
      }
    }
    if (attributes.isBroken() || link <= 0) {
      return false;
    }
    return values == null || values(link, values, listener);
  }

  // Both values are one signed byte in dBm. Zero means that the driver does not know.
  private static boolean values(int link, ByteBuffer values, Listener listener) {
    int newest = 0;
    int smoothed = 0;
    NetlinkAttributes attributes = new NetlinkAttributes(values, 0);
    while (attributes.next()) {
      if (attributes.value().limit() >= 1) {
        switch (attributes.type()) {
          case NL80211_STA_INFO_SIGNAL -> newest = attributes.value().get(0);
          case NL80211_STA_INFO_SIGNAL_AVG -> smoothed = attributes.value().get(0);
          default -> {}
        }
      }
    }
    if (attributes.isBroken()) {
      return false;
    }
    int dBm = smoothed < 0 ? smoothed : newest;
    if (dBm < 0) {
      listener.signal(link, dBm);
    }
    return true;
  }
}
