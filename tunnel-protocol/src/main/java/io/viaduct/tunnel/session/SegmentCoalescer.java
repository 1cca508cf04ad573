package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.viaduct.tunnel.compound.TcpFields;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.HeaderContext;
import org.jspecify.annotations.Nullable;

/// Puts segments of one flow back into one superpacket, as the kernel's GRO does: contiguous TCP
/// segments with equal acknowledgement, window, timestamps, context and ECN; UDP datagrams with
/// equal context and ECN. Every segment but the last has one length; at most 64 KiB, of UDP 64
/// datagrams. Four flows at a time; what belongs to one flow never overtakes.
final class SegmentCoalescer {
  private static final int SLOTS = 4;
  private static final int ACK = 0x10;
  private static final int PSH = 0x08;

  /// Linux takes no more from UDP_SEGMENT, and expects none (UDP_MAX_SEGMENTS).
  private static final int DATAGRAMS_MAX = 64;

  private final Slot[] slots = new Slot[SLOTS];
  private boolean datagrams;
  private int victim;
  private int identification;

  SegmentCoalescer(ByteBufAllocator allocator) {
    for (int i = 0; i < SLOTS; i++) {
      slots[i] =
          new Slot(allocator.directBuffer(LoopMemory.IP_OFFSET + LoopMemory.DATAGRAM_BYTES_MAX));
    }
  }

  /// Whether the kernel takes UDP superpackets.
  void udpSuperpackets(boolean taken) {
    datagrams = taken;
  }

  /// One flow's segments so far.
  private static final class Slot {
    final ByteBuf buffer;
    final byte[] headers = new byte[HeaderWriter.HEADERS_MAX];
    @Nullable FlowState flow;
    @Nullable InnerPacketSink sink;
    long context;
    int ecn;
    int nextSequence;
    int acknowledgement;
    int window;
    int mask;
    long timestamps;
    int flags;
    int ipBytes;
    int headerBytes;
    int payload;
    int segmentBytes;
    int segments;

    Slot(ByteBuf buffer) {
      this.buffer = buffer;
    }
  }

  /// First IPv4 identification of a packet, or of so many that the kernel cuts from one.
  int identifications(int packets) {
    int first = identification & 0xFFFF;
    identification += packets;
    return first;
  }

  /// Takes one segment. @return false if it cannot be coalesced: the caller delivers it, after what
  /// was held of its flow
  boolean add(
      InnerPacketSink sink,
      FlowState flow,
      long context,
      int ecn,
      TcpFields tcp,
      byte[] bytes,
      int at,
      int length,
      boolean fromDevice) {
    Slot slot = find(flow);
    boolean plain = length > 0 && tcp.isPlain() && (tcp.flags() & ~PSH) == ACK;
    if (slot != null) {
      if (plain && continues(slot, context, ecn, tcp, length)) {
        append(slot, tcp, bytes, at, length);
        return true;
      }
      flush(slot);
    }
    if (!plain || (tcp.flags() & PSH) != 0) {
      return false;
    }
    Slot fresh = begin(slot, sink, flow, context, ecn, length, tcp.headerBytes());
    fresh.acknowledgement = tcp.acknowledgement();
    fresh.window = tcp.window();
    fresh.mask = tcp.mask();
    fresh.timestamps = tcp.timestamps();
    fresh.flags = ACK;
    HeaderWriter.ip(
        fresh.headers, flow, context, ecn, tcp.headerBytes() + length, fromDevice, identification);
    HeaderWriter.tcp(fresh.headers, fresh.ipBytes, flow, context, tcp, bytes, length, fromDevice);
    append(fresh, tcp, bytes, at, length);
    return true;
  }

  /// Takes one UDP datagram. @return false if it cannot be coalesced, as [#add]
  boolean addDatagram(
      InnerPacketSink sink,
      FlowState flow,
      long context,
      int ecn,
      byte[] bytes,
      int at,
      int length,
      boolean fromDevice) {
    Slot slot = find(flow);
    boolean plain = datagrams && length > 0 && !HeaderContext.udpWithoutChecksum(context);
    if (slot != null) {
      if (plain
          && context == slot.context
          && ecn == slot.ecn
          && length <= slot.segmentBytes
          && slot.segments < DATAGRAMS_MAX
          && slot.headerBytes + slot.payload + length <= LoopMemory.DATAGRAM_BYTES_MAX) {
        append(slot, bytes, at, length);
        return true;
      }
      flush(slot);
    }
    if (!plain) {
      return false;
    }
    Slot fresh = begin(slot, sink, flow, context, ecn, length, HeaderWriter.UDP_HEADER);
    int transport = HeaderWriter.UDP_HEADER + length;
    HeaderWriter.ip(fresh.headers, flow, context, ecn, transport, fromDevice, identification);
    HeaderWriter.udp(fresh.headers, fresh.ipBytes, flow, context, length, fromDevice);
    append(fresh, bytes, at, length);
    return true;
  }

  private Slot begin(
      @Nullable Slot of,
      InnerPacketSink sink,
      FlowState flow,
      long context,
      int ecn,
      int length,
      int transportHeaderBytes) {
    Slot fresh = of == null ? free() : of;
    fresh.flow = flow;
    fresh.sink = sink;
    fresh.context = context;
    fresh.ecn = ecn;
    fresh.ipBytes = HeaderWriter.ipHeaderBytes(context);
    fresh.headerBytes = fresh.ipBytes + transportHeaderBytes;
    fresh.payload = 0;
    fresh.segments = 0;
    fresh.segmentBytes = length;
    return fresh;
  }

  private static boolean continues(Slot s, long context, int ecn, TcpFields tcp, int length) {
    return tcp.sequence() == s.nextSequence
        && tcp.acknowledgement() == s.acknowledgement
        && tcp.timestamps() == s.timestamps
        && tcp.window() == s.window
        && tcp.mask() == s.mask
        && context == s.context
        && ecn == s.ecn
        && length <= s.segmentBytes
        && s.headerBytes + s.payload + length <= LoopMemory.DATAGRAM_BYTES_MAX;
  }

  private void append(Slot s, TcpFields tcp, byte[] bytes, int at, int length) {
    s.nextSequence = tcp.sequence() + length;
    s.flags |= tcp.flags();
    append(s, bytes, at, length);
    if (s.flow != null && (tcp.flags() & PSH) != 0) {
      flush(s);
    }
  }

  private void append(Slot s, byte[] bytes, int at, int length) {
    s.buffer.setBytes(LoopMemory.IP_OFFSET + s.headerBytes + s.payload, bytes, at, length);
    s.payload += length;
    s.segments++;
    if (length < s.segmentBytes) {
      flush(s);
    }
  }

  private @Nullable Slot find(FlowState flow) {
    for (Slot slot : slots) {
      if (slot.flow == flow) {
        return slot;
      }
    }
    return null;
  }

  private Slot free() {
    for (Slot slot : slots) {
      if (slot.flow == null) {
        return slot;
      }
    }
    victim = (victim + 1) & (SLOTS - 1);
    flush(slots[victim]);
    return slots[victim];
  }

  /// What is held of this flow leaves now.
  void flush(FlowState flow) {
    Slot slot = find(flow);
    if (slot != null) {
      flush(slot);
    }
  }

  /// Everything that is held leaves now.
  void flushAll() {
    for (Slot slot : slots) {
      if (slot.flow != null) {
        flush(slot);
      }
    }
  }

  private void flush(Slot s) {
    FlowState flow = s.flow;
    InnerPacketSink sink = s.sink;
    if (flow == null || sink == null) {
      return;
    }
    s.flow = null;
    s.sink = null;
    identification += s.segments;
    int transport = s.headerBytes - s.ipBytes + s.payload;
    if (flow.protocol() == FlowKey.UDP) {
      HeaderWriter.growDatagram(s.headers, s.ipBytes, flow, s.context, transport);
    } else {
      HeaderWriter.grow(s.headers, s.ipBytes, flow, s.context, transport, s.flags);
    }
    s.buffer.setBytes(LoopMemory.IP_OFFSET, s.headers, 0, s.headerBytes);
    sink.packet(
        flow,
        s.buffer,
        LoopMemory.IP_OFFSET,
        s.headerBytes + s.payload,
        s.segments > 1 ? s.segmentBytes : 0,
        true);
  }

  void close() {
    for (Slot slot : slots) {
      slot.buffer.release();
    }
  }
}
