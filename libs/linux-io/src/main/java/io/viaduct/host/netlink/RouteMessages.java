package io.viaduct.host.netlink;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/// Parses NETLINK_ROUTE messages (linux/netlink.h, linux/rtnetlink.h). Opens no socket. Every
/// length is checked against the bytes received. An inconsistent message is counted and skipped; an
/// unknown one is skipped.
///
///     struct nlmsghdr                       struct rtattr
///     |0      |4     |6      |8        |12   |     |0      |2     |4     |
///     |length |type  |flags  |sequence |port |     |length |type  |value |
final class RouteMessages {
  static final int DONE = 3;
  static final int ERROR = 2;
  static final int NEW_LINK = 16;
  static final int DELETE_LINK = 17;
  static final int GET_LINK = 18;
  static final int NEW_ADDRESS = 20;
  static final int DELETE_ADDRESS = 21;
  static final int GET_ADDRESS = 22;
  static final int NEW_ROUTE = 24;
  static final int DELETE_ROUTE = 25;
  static final int GET_ROUTE = 26;

  static final int HEADER_LENGTH = 16;
  private static final int NLM_F_MULTI = 0x2;
  private static final int LINK_LENGTH = 16; // struct ifinfomsg
  private static final int ADDRESS_LENGTH = 8; // struct ifaddrmsg
  private static final int ROUTE_LENGTH = 12; // struct rtmsg
  private static final int HOP_LENGTH = 8; // struct rtnexthop

  private static final int IFF_UP = 0x1;
  private static final int IFF_LOWER_UP = 0x10000;
  private static final int IFLA_IFNAME = 3;
  private static final int IFLA_MTU = 4;
  private static final int IFA_ADDRESS = 1;
  private static final int IFA_LOCAL = 2;
  private static final int IFA_FLAGS = 8;
  private static final int IFA_F_DADFAILED = 0x08;
  private static final int IFA_F_TENTATIVE = 0x40;
  private static final int RTA_DST = 1;
  private static final int RTA_OIF = 4;
  private static final int RTA_GATEWAY = 5;
  private static final int RTA_PRIORITY = 6;
  private static final int RTA_MULTIPATH = 9;
  private static final int RTA_TABLE = 15;
  private static final int RTN_UNICAST = 1;
  private static final int AF_INET = 2;
  private static final int AF_INET6 = 10;

  /// Receives the contents of the messages.
  interface Listener {
    /// Called for each change.
    ///
    /// @param asked true if it answers a request, so it may be no news
    void changed(NetworkChange change, boolean asked);

    /// Called at the end of an answer; the error is below zero, or 0.
    void ended(int sequence, int error);
  }

  private long malformed;

  /// Returns the number of messages that were skipped because their lengths are inconsistent.
  long malformed() {
    return malformed;
  }

  /// Reads the messages of one receive.
  ///
  /// @param bytes from position to limit; its order and position are changed
  void read(ByteBuffer bytes, Listener listener) {
    Consumer<NetworkChange> news = change -> listener.changed(change, false);
    Consumer<NetworkChange> answers = change -> listener.changed(change, true);
    bytes.order(ByteOrder.nativeOrder());
    while (bytes.remaining() >= HEADER_LENGTH) {
      int start = bytes.position();
      int length = bytes.getInt(start);
      if (length < HEADER_LENGTH || length > bytes.remaining()) {
        malformed++;
        return;
      }
      int type = Short.toUnsignedInt(bytes.getShort(start + 4));
      int flags = bytes.getShort(start + 6);
      int sequence = bytes.getInt(start + 8);
      ByteBuffer body = bytes.slice(start + HEADER_LENGTH, length - HEADER_LENGTH);
      body.order(ByteOrder.nativeOrder());
      if (type == DONE || type == ERROR) {
        listener.ended(sequence, body.remaining() >= 4 ? body.getInt(0) : 0);
      } else if (!message(type, body, (flags & NLM_F_MULTI) == 0 ? news : answers)) {
        malformed++;
      }
      bytes.position(Math.min(bytes.limit(), start + NetlinkAttributes.aligned(length)));
    }
    if (bytes.hasRemaining()) {
      malformed++;
    }
  }

  private static boolean message(int type, ByteBuffer body, Consumer<NetworkChange> listener) {
    return switch (type) {
      case NEW_LINK, DELETE_LINK -> link(type == NEW_LINK, body, listener);
      case NEW_ADDRESS, DELETE_ADDRESS -> address(type == NEW_ADDRESS, body, listener);
      case NEW_ROUTE, DELETE_ROUTE -> route(type == NEW_ROUTE, body, listener);
      default -> true;
    };
  }

  private static boolean link(boolean present, ByteBuffer body, Consumer<NetworkChange> listener) {
    if (body.remaining() < LINK_LENGTH) {
      return false;
    }
    int index = body.getInt(4);
    int flags = body.getInt(8);
    String name = "";
    int mtu = 0;
    NetlinkAttributes attributes = new NetlinkAttributes(body, LINK_LENGTH);
    while (attributes.next()) {
      switch (attributes.type()) {
        case IFLA_IFNAME -> name = attributes.text();
        case IFLA_MTU -> mtu = attributes.number(0);
        default -> {}
      }
    }
    if (attributes.isBroken() || name.isEmpty()) {
      return false;
    }
    listener.accept(
        present
            ? new NetworkChange.LinkPresent(
                index, name, (flags & IFF_UP) != 0, (flags & IFF_LOWER_UP) != 0, mtu)
            : new NetworkChange.LinkGone(index, name));
    return true;
  }

  private static boolean address(
      boolean present, ByteBuffer body, Consumer<NetworkChange> listener) {
    if (body.remaining() < ADDRESS_LENGTH) {
      return false;
    }
    int prefixLength = Byte.toUnsignedInt(body.get(1));
    int flags = Byte.toUnsignedInt(body.get(2));
    int index = body.getInt(4);
    InetAddress address = null;
    InetAddress own = null; // differs from the peer's address on a point-to-point link
    NetlinkAttributes attributes = new NetlinkAttributes(body, ADDRESS_LENGTH);
    while (attributes.next()) {
      switch (attributes.type()) {
        case IFA_ADDRESS -> address = attributes.address();
        case IFA_LOCAL -> own = attributes.address();
        case IFA_FLAGS -> flags = attributes.number(flags);
        default -> {}
      }
    }
    InetAddress assigned = own != null ? own : address;
    if (attributes.isBroken() || assigned == null) {
      return false;
    }
    boolean usable = (flags & (IFA_F_TENTATIVE | IFA_F_DADFAILED)) == 0;
    listener.accept(
        present
            ? new NetworkChange.AddressPresent(index, assigned, prefixLength, usable)
            : new NetworkChange.AddressGone(index, assigned, prefixLength));
    return true;
  }

  private static boolean route(boolean present, ByteBuffer body, Consumer<NetworkChange> listener) {
    if (body.remaining() < ROUTE_LENGTH) {
      return false;
    }
    int family = Byte.toUnsignedInt(body.get(0));
    int prefixLength = Byte.toUnsignedInt(body.get(1));
    int table = Byte.toUnsignedInt(body.get(4));
    if (Byte.toUnsignedInt(body.get(7)) != RTN_UNICAST
        || (family != AF_INET && family != AF_INET6)) {
      return true;
    }
    InetAddress destination = NetlinkAttributes.inet(new byte[family == AF_INET ? 4 : 16]);
    InetAddress gateway = null;
    ByteBuffer hops = null;
    int link = 0;
    int metric = 0;
    NetlinkAttributes attributes = new NetlinkAttributes(body, ROUTE_LENGTH);
    while (attributes.next()) {
      switch (attributes.type()) {
        case RTA_DST -> destination = attributes.address();
        case RTA_GATEWAY -> gateway = attributes.address();
        case RTA_OIF -> link = attributes.number(0);
        case RTA_PRIORITY -> metric = attributes.number(0);
        case RTA_TABLE -> table = attributes.number(table);
        case RTA_MULTIPATH -> hops = attributes.value();
        default -> {}
      }
    }
    if (attributes.isBroken() || destination == null) {
      return false;
    }
    NetworkChange.Route route =
        new NetworkChange.Route(destination, prefixLength, gateway, link, metric, table);
    if (hops != null) {
      return hops(present, route, hops, listener);
    }
    listener.accept(change(present, route));
    return true;
  }

  private static boolean hops(
      boolean present, NetworkChange.Route of, ByteBuffer hops, Consumer<NetworkChange> listener) {
    int at = 0;
    while (hops.limit() - at >= HOP_LENGTH) {
      int length = Short.toUnsignedInt(hops.getShort(at));
      if (length < HOP_LENGTH || length > hops.limit() - at) {
        return false;
      }
      int link = hops.getInt(at + 4);
      InetAddress gateway = null;
      ByteBuffer hop = hops.slice(at, length).order(ByteOrder.nativeOrder());
      NetlinkAttributes attributes = new NetlinkAttributes(hop, HOP_LENGTH);
      while (attributes.next()) {
        if (attributes.type() == RTA_GATEWAY) {
          gateway = attributes.address();
        }
      }
      if (attributes.isBroken()) {
        return false;
      }
      listener.accept(
          change(
              present,
              new NetworkChange.Route(
                  of.destination(), of.prefixLength(), gateway, link, of.metric(), of.table())));
      at += NetlinkAttributes.aligned(length);
    }
    return true;
  }

  private static NetworkChange change(boolean present, NetworkChange.Route route) {
    return present ? new NetworkChange.RoutePresent(route) : new NetworkChange.RouteGone(route);
  }
}
