package io.viaduct.host.netlink;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Parses the messages of connection tracking (linux/netfilter/nfnetlink_conntrack.h). Opens no
/// socket. An inconsistent message is counted and skipped.
final class ConntrackMessages {
  private static final int HEADER_LENGTH = 16; // struct nlmsghdr
  private static final int FAMILY_LENGTH = 4; // struct nfgenmsg
  private static final int NEW = 0x100; // NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_NEW
  private static final int DELETE = 0x102;
  private static final int TYPE_MASK = 0x3fff;
  private static final int CTA_TUPLE_ORIG = 1;
  private static final int CTA_TUPLE_REPLY = 2;
  private static final int CTA_TUPLE_IP = 1;
  private static final int CTA_TUPLE_PROTO = 2;
  private static final int CTA_IP_V4_SRC = 1;
  private static final int CTA_IP_V4_DST = 2;
  private static final int CTA_IP_V6_SRC = 3;
  private static final int CTA_IP_V6_DST = 4;
  private static final int CTA_PROTO_NUM = 1;
  private static final int CTA_PROTO_DST_PORT = 3;
  private static final int CTA_PROTO_ICMP_ID = 4;
  private static final int CTA_PROTO_ICMPV6_ID = 7;

  private long malformed;

  private static final class Tuple {
    private @Nullable InetAddress source;
    private @Nullable InetAddress destination;
    private int protocol;
    private int destinationPort;
  }

  /// Returns the number of skipped messages.
  long malformed() {
    return malformed;
  }

  /// Reads the messages of one receive.
  void read(ByteBuffer bytes, Consumer<AddressMapping> listener) {
    bytes.order(ByteOrder.nativeOrder());
    int at = bytes.position();
    while (bytes.limit() - at >= HEADER_LENGTH) {
      int length = bytes.getInt(at);
      if (length < HEADER_LENGTH + FAMILY_LENGTH || length > bytes.limit() - at) {
        malformed++;
        return;
      }
      int type = bytes.getShort(at + 4);
      if (type == NEW || type == DELETE) {
        message(bytes, at + HEADER_LENGTH + FAMILY_LENGTH, at + length, type == NEW, listener);
      }
      at += (length + 3) & ~3;
    }
  }

  private void message(
      ByteBuffer bytes, int from, int to, boolean isNew, Consumer<AddressMapping> listener) {
    Tuple original = new Tuple();
    Tuple reply = new Tuple();
    for (int at = from; at + 4 <= to; at = next(bytes, at)) {
      int end = end(bytes, at, to);
      int type = bytes.getShort(at + 2) & TYPE_MASK;
      if (end < 0) {
        malformed++;
        return;
      }
      if (type == CTA_TUPLE_ORIG || type == CTA_TUPLE_REPLY) {
        tuple(bytes, at + 4, end, type == CTA_TUPLE_ORIG ? original : reply);
      }
    }
    InetAddress inside = original.source;
    InetAddress remote = original.destination;
    InetAddress outside = reply.destination;
    if (inside == null || remote == null || outside == null) {
      malformed++;
      return;
    }
    listener.accept(
        new AddressMapping(
            isNew,
            original.protocol,
            inside,
            outside,
            reply.destinationPort,
            remote,
            original.destinationPort));
  }

  private static int next(ByteBuffer bytes, int at) {
    return at + Math.max(4, (Short.toUnsignedInt(bytes.getShort(at)) + 3) & ~3);
  }

  /// Returns the end of an attribute.
  ///
  /// @return −1 if the attribute does not fit
  private static int end(ByteBuffer bytes, int at, int to) {
    int length = Short.toUnsignedInt(bytes.getShort(at));
    return length < 4 || at + length > to ? -1 : at + length;
  }

  private void tuple(ByteBuffer bytes, int from, int to, Tuple tuple) {
    for (int at = from; at + 4 <= to; at = next(bytes, at)) {
      int end = end(bytes, at, to);
      if (end < 0) {
        malformed++;
        return;
      }
      switch (bytes.getShort(at + 2) & TYPE_MASK) {
        case CTA_TUPLE_IP -> addresses(bytes, at + 4, end, tuple);
        case CTA_TUPLE_PROTO -> ports(bytes, at + 4, end, tuple);
        default -> {}
      }
    }
  }

  private static void addresses(ByteBuffer bytes, int from, int to, Tuple tuple) {
    for (int at = from; at + 4 <= to && end(bytes, at, to) > 0; at = next(bytes, at)) {
      int end = end(bytes, at, to);
      switch (bytes.getShort(at + 2) & TYPE_MASK) {
        case CTA_IP_V4_SRC, CTA_IP_V6_SRC -> tuple.source = address(bytes, at + 4, end);
        case CTA_IP_V4_DST, CTA_IP_V6_DST -> tuple.destination = address(bytes, at + 4, end);
        default -> {}
      }
    }
  }

  private static @Nullable InetAddress address(ByteBuffer bytes, int from, int to) {
    byte[] address = new byte[to - from];
    bytes.get(from, address);
    try {
      return InetAddress.getByAddress(address);
    } catch (UnknownHostException _) {
      return null; // neither 4 nor 16 bytes
    }
  }

  private static void ports(ByteBuffer bytes, int from, int to, Tuple tuple) {
    for (int at = from; at + 5 <= to && end(bytes, at, to) > 0; at = next(bytes, at)) {
      int type = bytes.getShort(at + 2) & TYPE_MASK;
      if (type == CTA_PROTO_NUM) {
        tuple.protocol = Byte.toUnsignedInt(bytes.get(at + 4));
      } else if (at + 6 <= to) {
        // Network byte order.
        int port =
            Byte.toUnsignedInt(bytes.get(at + 4)) << 8 | Byte.toUnsignedInt(bytes.get(at + 5));
        switch (type) {
          case CTA_PROTO_DST_PORT -> tuple.destinationPort = port;
          case CTA_PROTO_ICMP_ID, CTA_PROTO_ICMPV6_ID -> tuple.destinationPort = port;
          default -> {}
        }
      }
    }
  }
}
