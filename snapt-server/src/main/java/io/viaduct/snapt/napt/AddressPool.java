package io.viaduct.snapt.napt;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.OptionalInt;

/// The pool of addresses that sessions use on the Internet side. A slot number stands for one
/// address of each family, so one table serves both.
///
/// A device's slot is derived from its key. After a restart, the SNAPT therefore gives the device
/// the same address, and its connections survive. If two keys map to one slot, the later device
/// gets the next free slot. Slot 0 is the network address, slot 1 is the SNAPT's own TUN address,
/// and the last IPv4 slot is the broadcast address. A pool of 1024 slots or more keeps the eight
/// before the last as aliases of the host's public addresses ([SharedAddresses]).
///
/// Threads: only the control thread calls [#assign], [#keep] and [#release]. Everything else is
/// immutable.
public final class AddressPool {
  /// Upper limit of the slots: more than the sessions of any SNAPT.
  private static final int SLOTS_MAX = 1 << 20;

  private static final int FIRST_SLOT = 2;
  private static final int ALIASES = 8;
  private static final int SLOTS_WITH_ALIASES_MIN = 1024;

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
    taken.set(capacity(), hashed()); // the aliases
  }

  /// Returns the number of slots; slot numbers are below it.
  public int slots() {
    return slots;
  }

  /// Returns the largest number of sessions that the pool has addresses for.
  public int capacity() {
    return hashed() - aliases();
  }

  // The aliases count here, so that a pool with them gives a key the same slot as without.
  private int hashed() {
    return slots - FIRST_SLOT - 1;
  }

  /// Returns the number of aliases.
  int aliases() {
    return slots >= SLOTS_WITH_ALIASES_MIN ? ALIASES : 0;
  }

  /// Returns an alias, numbered from 0.
  PublicAddress alias(int number) {
    return address(FIRST_SLOT + capacity() + number);
  }

  /// Returns the lower 64 bits of an alias; an IPv4 address in the lowest 32.
  long aliasLow(boolean isIpv6, int number) {
    return (isIpv6 ? ipv6 : ipv4).low() + FIRST_SLOT + capacity() + number;
  }

  /// Returns the first and the last alias of a family as a range of nftables; empty without
  /// aliases.
  public String aliasRange(boolean isIpv6) {
    Prefix of = isIpv6 ? ipv6 : ipv4;
    int first = FIRST_SLOT + capacity();
    return aliases() == 0 ? "" : of.address(first) + "-" + of.address(first + aliases() - 1L);
  }

  /// Takes the slot of a device.
  ///
  /// @return empty if every slot is taken
  public OptionalInt assign(byte[] deviceKey) {
    if (taken.cardinality() >= hashed()) {
      return OptionalInt.empty();
    }
    int slot = Math.floorMod(Arrays.hashCode(deviceKey) * 0x9E3779B1, hashed());
    while (taken.get(slot)) {
      slot = (slot + 1) % hashed();
    }
    taken.set(slot);
    return OptionalInt.of(slot + FIRST_SLOT);
  }

  /// Returns the address of a slot.
  public PublicAddress address(int slot) {
    return new PublicAddress((int) (ipv4.low() + slot), ipv6.high(), ipv6.low() + slot);
  }

  /// Returns the slot of an address that this pool may assign, −1 for any other.
  public int slotOf(PublicAddress address) {
    int slot = slotOf(Integer.toUnsignedLong(address.ipv4()));
    return slot >= FIRST_SLOT && slot < FIRST_SLOT + capacity() && address(slot).equals(address)
        ? slot
        : -1;
  }

  /// Takes a slot whose address another SNAPT has.
  public void keep(int slot) {
    taken.set(slot - FIRST_SLOT);
  }

  /// Frees a slot.
  public void release(int slot) {
    taken.clear(slot - FIRST_SLOT);
  }

  /// Returns the slot that an IP packet is addressed to, or −1 if the destination is not in the
  /// pool.
  public int slotOfDestination(IpPacket of) {
    ByteBuf packet = of.buffer();
    int ip = of.start();
    return of.isIpv4()
        ? slotOf(packet.getUnsignedInt(ip + IpFields.IPV4_DESTINATION))
        : slotOf(
            packet.getLong(ip + IpFields.IPV6_DESTINATION),
            packet.getLong(ip + IpFields.IPV6_DESTINATION + Long.BYTES));
  }

  /// Returns the slot of an address, or −1 if it is not in the pool.
  public int slotOf(InetAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    return bytes.remaining() == Integer.BYTES
        ? slotOf(Integer.toUnsignedLong(bytes.getInt()))
        : slotOf(bytes.getLong(), bytes.getLong());
  }

  private int slotOf(long address) {
    long offset = address - ipv4.low();
    return offset >= 0 && offset < slots ? (int) offset : -1;
  }

  private int slotOf(long high, long low) {
    long offset = low - ipv6.low();
    return high == ipv6.high() && offset >= 0 && offset < slots ? (int) offset : -1;
  }

  /// Returns true if the destination of an IP packet is in the pool, assigned or not.
  public boolean ownsDestination(IpPacket of) {
    ByteBuf packet = of.buffer();
    int ip = of.start();
    return of.isIpv4()
        ? packet.getUnsignedInt(ip + IpFields.IPV4_DESTINATION) >>> ipv4.hostBits()
            == ipv4.low() >>> ipv4.hostBits()
        : ipv6Owns(
            packet.getLong(ip + IpFields.IPV6_DESTINATION),
            packet.getLong(ip + IpFields.IPV6_DESTINATION + Long.BYTES));
  }

  private boolean ipv6Owns(long high, long low) {
    int host = ipv6.hostBits();
    return host >= Long.SIZE
        ? host == 128 || high >>> (host - Long.SIZE) == ipv6.high() >>> (host - Long.SIZE)
        : high == ipv6.high() && low >>> host == ipv6.low() >>> host;
  }

  public Prefix ipv4() {
    return ipv4;
  }

  public Prefix ipv6() {
    return ipv6;
  }
}
