package io.viaduct.snapt.relay;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.LongObjectHashMap;
import io.viaduct.snapt.napt.PublicAddress;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import java.util.HashMap;
import java.util.Map;

/// The sessions whose address is of another SNAPT's pool, because that SNAPT has handed them over.
/// Any thread may change it; the event loops read a copy, without a lock.
final class ForeignAddresses {
  private static final int NOBODY = -1;

  private final Map<PublicAddress, Integer> receivers = new HashMap<>(); // guarded by this
  private volatile Copy now = new Copy(Map.of());

  private record Entry(PublicAddress address, int receiver) {}

  private static final class Copy {
    private final IntObjectHashMap<Entry> byIpv4 = new IntObjectHashMap<>();
    private final LongObjectHashMap<Entry> byIpv6 = new LongObjectHashMap<>();
    private final boolean isEmpty;

    private Copy(Map<PublicAddress, Integer> receivers) {
      isEmpty = receivers.isEmpty();
      receivers.forEach((address, receiver) -> {
        Entry entry = new Entry(address, receiver);
        byIpv4.put(address.ipv4(), entry);
        byIpv6.put(key(address.ipv6High(), address.ipv6Low()), entry);
      });
    }
  }

  // Two addresses of one key are two pools that differ in their upper half only, by a chance of 1
  // in 2^64: packets to the earlier one are then dropped, and counted.
  private static long key(long high, long low) {
    return high * 0x9E3779B97F4A7C15L + low;
  }

  synchronized void put(PublicAddress address, int receiver) {
    receivers.put(address, receiver);
    now = new Copy(receivers);
  }

  /// Removes an address, if it still is that of this session.
  synchronized void remove(PublicAddress address, int receiver) {
    if (receivers.remove(address, receiver)) {
      now = new Copy(receivers);
    }
  }

  /// Returns the receiver index of the session that a packet is addressed to, −1 if there is none.
  int receiverOf(IpPacket of) {
    Copy copy = now;
    if (copy.isEmpty) {
      return NOBODY;
    }
    ByteBuf packet = of.buffer();
    int ip = of.start();
    Entry entry;
    if (of.isIpv4()) {
      entry = copy.byIpv4.get(packet.getInt(ip + IpFields.IPV4_DESTINATION));
      return entry == null ? NOBODY : entry.receiver();
    }
    long high = packet.getLong(ip + IpFields.IPV6_DESTINATION);
    long low = packet.getLong(ip + IpFields.IPV6_DESTINATION + Long.BYTES);
    entry = copy.byIpv6.get(key(high, low));
    return entry != null && entry.address().ipv6High() == high && entry.address().ipv6Low() == low
        ? entry.receiver()
        : NOBODY;
  }
}
