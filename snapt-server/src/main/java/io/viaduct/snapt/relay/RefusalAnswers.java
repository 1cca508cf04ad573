package io.viaduct.snapt.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.AddressTranslation;
import io.viaduct.snapt.napt.Translated;
import io.viaduct.tunnel.wire.IcmpError;
import io.viaduct.tunnel.wire.IpPacket;
import java.util.ArrayDeque;
import java.util.function.Predicate;

/// Answers refused packets of one device with ICMP "administratively prohibited". The source is the
/// SNAPT's own address in the pool. Applications then fail at once and do not wait for an answer.
/// [IcmpError] excludes the packets that must not be answered, and limits the rate. Owned by the
/// session's event loop.
///
/// The answers wait for the end of the batch, because a tunnel must not accept a packet while it
/// delivers one.
final class RefusalAnswers {
  private static final int PENDING_MAX = 16;

  private final AddressTranslation translation;
  private final Memory memory;
  private final IcmpError icmp = new IcmpError();
  private final ArrayDeque<ByteBuf> pending = new ArrayDeque<>(0);

  /// Holds the buffers that the sessions of one event loop share.
  static final class Memory {
    private static final int OWN_SLOT = 1;
    private static final int IPV6_AT = Integer.BYTES;

    private final ByteBufAllocator allocator;
    private final ByteBuf source;
    private final ByteBuf answer = Unpooled.buffer(IcmpError.BYTES_MAX);
    private final IpPacket packet = new IpPacket();

    Memory(ByteBufAllocator allocator, AddressPool pool) {
      this.allocator = allocator;
      source =
          Unpooled.buffer()
              .writeInt((int) (pool.ipv4().low() + OWN_SLOT))
              .writeLong(pool.ipv6().high())
              .writeLong(pool.ipv6().low() + OWN_SLOT);
    }
  }

  RefusalAnswers(AddressTranslation translation, Memory memory) {
    this.translation = translation;
    this.memory = memory;
  }

  /// Prepares the ICMP error for a refused packet, if [IcmpError] allows one.
  ///
  /// @param translated true if the translation has rewritten this packet and no packet since
  void refused(IpPacket packet, boolean translated, long nowNs) {
    if (pending.size() == PENDING_MAX) {
      return;
    }
    int sourceAt = packet.isIpv4() ? 0 : Memory.IPV6_AT;
    ByteBuf answer = memory.answer;
    int bytes = icmp.prohibited(packet, memory.source, sourceAt, answer, 0, nowNs);
    // The inbound translation restores the quoted packet to the form that the device has sent.
    if (bytes > 0
        && (!translated
            || translation.inbound(memory.packet.set(answer, 0, bytes)) == Translated.FORWARDED)) {
      pending.add(memory.allocator.directBuffer(bytes).writeBytes(answer, 0, bytes));
    }
  }

  /// Passes the prepared answers on and releases them.
  ///
  /// @param taker accepts a packet that starts at index 0, and returns true if it took it; it must
  ///   copy the bytes that it keeps
  void drain(Predicate<IpPacket> taker, TrafficCounters counters) {
    for (ByteBuf answer = pending.poll(); answer != null; answer = pending.poll()) {
      if (taker.test(memory.packet.set(answer, 0, answer.readableBytes()))) {
        counters.countAnswered();
      }
      answer.release();
    }
  }

  /// Releases the answers unsent.
  void clear() {
    pending.forEach(ByteBuf::release);
    pending.clear();
  }
}
