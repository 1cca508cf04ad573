package io.viaduct.host.udp;

import io.viaduct.host.linux.Sockets;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// Converts peers between the kernel's `sockaddr` and Java. Two direct-mapped tables remember them,
/// so that traffic with known peers allocates no object. A new peer replaces another one in the
/// same slot. A peer that names its local address ([AddressPair]) has it beside its `sockaddr`.
///
///     struct sockaddr_in                struct sockaddr_in6
///     |0      |2    |4       |8      |  |0      |2    |4    |8        |24     |
///     |family |port |address |unused |  |family |port |flow |address  |scope  |
///
/// Port and address are big-endian, family and scope have the machine's byte order. One event loop
/// owns it.
///
///     a slot of the memory
///     |0        |32                 |52     |56                                    |
///     |sockaddr |data of PacketInfo |unused |its bytes, 0 without a local address  |
final class PeerAddresses {
  private static final ValueLayout.OfShort BIG_SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt BIG_INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong BIG_LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private static final int FAMILY = 0;
  private static final int PORT = FAMILY + Short.BYTES;
  private static final int IN_ADDRESS = PORT + Short.BYTES;
  static final int IN_LENGTH = IN_ADDRESS + Integer.BYTES + Long.BYTES;
  private static final int IN6_ADDRESS = PORT + Short.BYTES + Integer.BYTES;
  private static final int IN6_SCOPE = IN6_ADDRESS + 2 * Long.BYTES;
  static final int IN6_LENGTH = IN6_SCOPE + Integer.BYTES;

  // RFC 4291 section 2.5.5.2: ::ffff:a.b.c.d
  private static final long MAPPED = 0xffffL << 32;
  private static final long LOW_INT = 0xffffffffL;

  /// Bytes of a slot: one cache line.
  static final int SLOT = 64;

  /// Place of the data of [PacketInfo] in a slot.
  static final int INFO = 32;

  private static final int INFO_BYTES = 56;

  private final boolean ipv6;
  private final PacketInfo info;
  private final int mask;
  private final MemorySegment encoded;
  private final @Nullable InetSocketAddress[] encodedOf;
  private final long[] high;
  private final long[] low;
  private final long[] rest;
  private final long[] localHigh;
  private final long[] localLow;
  private final @Nullable InetSocketAddress[] decoded;

  /// Makes the two tables.
  ///
  /// @param ipv6 true for a socket of AF_INET6, where IPv4 peers appear as mapped addresses
  /// @param size of each table; a power of two
  PeerAddresses(boolean ipv6, int size) {
    this.ipv6 = ipv6;
    info = ipv6 ? PacketInfo.IPV6 : PacketInfo.IPV4;
    mask = size - 1;
    encoded = Arena.ofAuto().allocate((long) size * SLOT, SLOT);
    encodedOf = new InetSocketAddress[size];
    high = new long[size];
    low = new long[size];
    rest = new long[size];
    localHigh = new long[size];
    localLow = new long[size];
    decoded = new InetSocketAddress[size];
  }

  /// Returns the length of this socket's `sockaddr`, in bytes.
  int length() {
    return ipv6 ? IN6_LENGTH : IN_LENGTH;
  }

  /// Returns the control message with the local address of this socket's datagrams.
  PacketInfo info() {
    return info;
  }

  /// Returns the memory of all encoded peers.
  MemorySegment memory() {
    return encoded;
  }

  /// Returns the bytes of the data of [PacketInfo] in a slot, 0 if the peer has no local address.
  static int infoBytes(MemorySegment slots, long at) {
    return slots.get(ValueLayout.JAVA_INT, at + INFO_BYTES);
  }

  /// Returns the place of a peer's slot in [#memory], valid until the next call.
  ///
  /// @throws IllegalArgumentException for an IPv6 peer of an IPv4 socket
  long at(InetSocketAddress peer) {
    int place = spread(peer.hashCode()) & mask;
    long at = (long) place * SLOT;
    InetSocketAddress cached = encodedOf[place];
    if (cached != peer && (cached == null || !isSame(cached, peer))) {
      encode(peer, encoded.asSlice(at, INFO), ipv6);
      encodeLocal(peer, at);
      encodedOf[place] = peer;
    }
    return at;
  }

  private static boolean isSame(InetSocketAddress one, InetSocketAddress other) {
    return one.equals(other) && AddressPair.haveSameLocal(one, other);
  }

  private void encodeLocal(InetSocketAddress peer, long at) {
    int bytes = 0;
    if (peer instanceof AddressPair pair) {
      info.write(encoded, at + INFO, pair.localHigh, pair.localLow);
      bytes = info.bytes;
    }
    encoded.set(ValueLayout.JAVA_INT, at + INFO_BYTES, bytes);
  }

  /// Writes a `sockaddr`.
  static void encode(InetSocketAddress peer, MemorySegment to, boolean ipv6) {
    byte[] address = peer.getAddress().getAddress();
    to.set(BIG_SHORT, PORT, (short) peer.getPort());
    if (ipv6) {
      to.set(ValueLayout.JAVA_SHORT, FAMILY, (short) Sockets.AF_INET6);
      MemorySegment target = to.asSlice(IN6_ADDRESS, 2 * Long.BYTES);
      if (address.length == 4) {
        target.set(BIG_LONG, 0, 0);
        target.set(BIG_INT, Long.BYTES, 0xffff);
        target.asSlice(Long.BYTES + Integer.BYTES).copyFrom(MemorySegment.ofArray(address));
      } else {
        target.copyFrom(MemorySegment.ofArray(address));
      }
      int scope = peer.getAddress() instanceof Inet6Address inet6 ? inet6.getScopeId() : 0;
      to.set(ValueLayout.JAVA_INT, IN6_SCOPE, scope);
    } else if (address.length == 4) {
      to.set(ValueLayout.JAVA_SHORT, FAMILY, (short) Sockets.AF_INET);
      MemorySegment.copy(address, 0, to, ValueLayout.JAVA_BYTE, IN_ADDRESS, address.length);
    } else {
      throw new IllegalArgumentException(
          "a socket bound to an IPv4 address cannot reach " + peer + ": bind it to a wildcard");
    }
  }

  /// Returns the peer of a `sockaddr` that the kernel wrote.
  InetSocketAddress decode(MemorySegment from) {
    return decode(from, 0, 0);
  }

  /// Returns the peer of a `sockaddr` that the kernel wrote, with the local address that its
  /// datagram came to.
  ///
  /// @param hereHigh upper half of the local address; both halves 0: it is not known
  /// @param hereLow lower half; `::ffff:a.b.c.d` for IPv4
  InetSocketAddress decode(MemorySegment from, long hereHigh, long hereLow) {
    long port = from.get(BIG_SHORT, PORT) & 0xffffL;
    long top;
    long bottom;
    long scope;
    if (from.get(ValueLayout.JAVA_SHORT, FAMILY) == Sockets.AF_INET6) {
      top = from.get(BIG_LONG, IN6_ADDRESS);
      bottom = from.get(BIG_LONG, IN6_ADDRESS + Long.BYTES);
      scope = from.get(ValueLayout.JAVA_INT, IN6_SCOPE) & LOW_INT;
    } else {
      top = 0;
      bottom = mapped(from.get(BIG_INT, IN_ADDRESS));
      scope = 0;
    }
    long tail = scope << 16 | port;
    long here = hereHigh ^ Long.rotateLeft(hereLow, 31);
    int place = spread((int) mix(top ^ Long.rotateLeft(bottom, 17) ^ tail ^ here)) & mask;
    InetSocketAddress cached = decoded[place];
    if (cached != null
        && high[place] == top
        && low[place] == bottom
        && rest[place] == tail
        && localHigh[place] == hereHigh
        && localLow[place] == hereLow) {
      return cached;
    }
    InetAddress address = address(top, bottom, (int) scope);
    InetSocketAddress peer =
        (hereHigh | hereLow) == 0
            ? new InetSocketAddress(address, (int) port)
            : new AddressPair(address, (int) port, hereHigh, hereLow);
    high[place] = top;
    low[place] = bottom;
    rest[place] = tail;
    localHigh[place] = hereHigh;
    localLow[place] = hereLow;
    decoded[place] = peer;
    return peer;
  }

  /// Returns the lower half of the mapped form of an IPv4 address.
  static long mapped(int ipv4) {
    return MAPPED | (ipv4 & LOW_INT);
  }

  private static InetAddress address(long top, long bottom, int scope) {
    byte[] bytes = new byte[2 * Long.BYTES];
    MemorySegment segment = MemorySegment.ofArray(bytes);
    segment.set(BIG_LONG, 0, top);
    segment.set(BIG_LONG, Long.BYTES, bottom);
    try {
      if (top == 0 && (bottom & ~LOW_INT) == MAPPED) {
        byte[] four = java.util.Arrays.copyOfRange(bytes, bytes.length - 4, bytes.length);
        return Inet4Address.getByAddress(four);
      }
      return scope == 0
          ? Inet6Address.getByAddress(null, bytes, -1)
          : Inet6Address.getByAddress(null, bytes, scope);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("4 or 16 bytes are an address", e);
    }
  }

  // Fibonacci hashing: neighbouring addresses of a network must not share a slot.
  private static long mix(long value) {
    return (value ^ value >>> 32) * 0x9E3779B97F4A7C15L >>> 32;
  }

  private static int spread(int hash) {
    return hash * 0x9E3779B9 >>> 8;
  }
}
