package io.viaduct.snapt.napt;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.BitSet;
import java.util.OptionalInt;

/// The addresses that the Internet side knows sessions by: a slot number names one address of each
/// family, so one table serves both.
///
/// A device's slot follows from its key, so that a SNAPT that was started again gives it the same
/// address, and its sockets live on; only when two devices meet on one slot does the later one move
/// to the next. Slot 0 is the network, slot 1 the SNAPT's own TUN address, the last of IPv4 is
/// broadcast.
///
/// Threads: [#assign] and [#release] by the control thread; the rest is immutable.
public final class AddressPool {
  /// More slots than any SNAPT serves sessions.
  private static final int SLOTS_MAX = 1 << 20;

  private static final int FIRST_SLOT = 2;

  private final Prefix ipv4;
  private final Prefix ipv6;
  private final int slots;
  private final BitSet taken = new BitSet();

  /// @throws IllegalArgumentException unless the prefixes are of their family and have at least 4
  ///   addresses, the IPv6 one as many as the IPv4 one
  public AddressPool(Prefix ipv4, Prefix ipv6) {
    if (ipv4.ipv6() || ipv4.hostBits() < 2 || ipv4.hostBits() > 24) {
      throw new IllegalArgumentException(
          "the IPv4 pool must be an IPv4 prefix of length 8 to 30, got " + ipv4);
    }
    if (!ipv6.ipv6() || ipv6.hostBits() < ipv4.hostBits()) {
      throw new IllegalArgumentException(
          "the IPv6 pool must be an IPv6 prefix with as many addresses as %s, got %s"
              .formatted(ipv4, ipv6));
    }
    this.ipv4 = ipv4;
    this.ipv6 = ipv6;
    this.slots = Math.min(1 << ipv4.hostBits(), SLOTS_MAX);
  }

  /// Slot numbers are below this.
  public int slots() {
    return slots;
  }

  /// Sessions that find an address.
  public int capacity() {
    return slots - FIRST_SLOT - 1;
  }

  /// Takes the slot of a device.
  ///
  /// @return empty if every slot is taken
  public OptionalInt assign(byte[] deviceKey) {
    if (taken.cardinality() >= capacity()) {
      return OptionalInt.empty();
    }
    int slot = Math.floorMod(Arrays.hashCode(deviceKey) * 0x9E3779B1, capacity());
    while (taken.get(slot)) {
      slot = (slot + 1) % capacity();
    }
    taken.set(slot);
    return OptionalInt.of(slot + FIRST_SLOT);
  }

  /// Gives a slot back.
  public void release(int slot) {
    taken.clear(slot - FIRST_SLOT);
  }

  /// The slot that an IP packet is addressed to, −1 if its destination is not of the pool.
  ///
  /// @param ip index of the IP header, which the caller knows to be whole
  public int slotOfDestination(ByteBuf packet, int ip) {
    return packet.getByte(ip) >>> 4 == 4
        ? slotOf(packet.getUnsignedInt(ip + IpHeader.IPV4_DESTINATION))
        : slotOf(
            packet.getLong(ip + IpHeader.IPV6_DESTINATION),
            packet.getLong(ip + IpHeader.IPV6_DESTINATION + Long.BYTES));
  }

  private int slotOf(long address) {
    long offset = address - ipv4.low();
    return offset >= 0 && offset < slots ? (int) offset : -1;
  }

  private int slotOf(long high, long low) {
    long offset = low - ipv6.low();
    return high == ipv6.high() && offset >= 0 && offset < slots ? (int) offset : -1;
  }

  /// Whether an IP packet is addressed into one of the prefixes, assigned or not.
  public boolean ownsDestination(ByteBuf packet, int ip) {
    return packet.getByte(ip) >>> 4 == 4
        ? packet.getUnsignedInt(ip + IpHeader.IPV4_DESTINATION) >>> ipv4.hostBits()
            == ipv4.low() >>> ipv4.hostBits()
        : ipv6Owns(
            packet.getLong(ip + IpHeader.IPV6_DESTINATION),
            packet.getLong(ip + IpHeader.IPV6_DESTINATION + Long.BYTES));
  }

  private boolean ipv6Owns(long high, long low) {
    int host = ipv6.hostBits();
    return host >= Long.SIZE
        ? host == 128 || high >>> (host - Long.SIZE) == ipv6.high() >>> (host - Long.SIZE)
        : high == ipv6.high() && low >>> host == ipv6.low() >>> host;
  }

  /// The IPv4 prefix of the pool.
  public Prefix ipv4() {
    return ipv4;
  }

  /// The IPv6 prefix of the pool.
  public Prefix ipv6() {
    return ipv6;
  }
}
