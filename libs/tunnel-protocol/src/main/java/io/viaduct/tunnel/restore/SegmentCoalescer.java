package io.viaduct.tunnel.restore;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.viaduct.tunnel.compound.TcpFields;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.HeaderContext;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import org.jspecify.annotations.Nullable;

/// Puts segments of one flow back into one superpacket, as the kernel's GRO does.
///
/// TCP segments must be contiguous, with equal acknowledgement, window, timestamps, context and
/// ECN. UDP datagrams must have equal context and ECN. All segments but the last have the same
/// length. A superpacket has at most 64 KiB, and at most 64 UDP datagrams. Four flows are held at a
/// time; packets of one flow never overtake each other.
public final class SegmentCoalescer {
  private static final int SLOTS = 4;

  /// Limit of Linux for UDP_SEGMENT, in both directions (UDP_MAX_SEGMENTS).
  private static final int DATAGRAMS_MAX = 64;

  private final Slot[] slots = new Slot[SLOTS];
  private boolean datagrams;
  private int victim;
  private int identification;

  public SegmentCoalescer(ByteBufAllocator allocator) {
    for (int i = 0; i < SLOTS; i++) {
      slots[i] =
          new Slot(
              allocator.directBuffer(RestoreMemory.IP_OFFSET + RestoreMemory.PACKET_BYTES_MAX));
    }
  }

  /// Sets whether the kernel accepts UDP superpackets.
  public void udpSuperpackets(boolean taken) {
    datagrams = taken;
  }

  /// Holds the segments of one flow.
  private static final class Slot {
    final ByteBuf buffer;
    final IpPacket packet = new IpPacket();
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

  /// Returns the first IPv4 identification of a packet, or of the packets that the kernel cuts from
  /// one.
  int identifications(int packets) {
    int first = identification & 0xFFFF;
    identification += packets;
    return first;
  }

  /// Takes one segment. @return false if the segment cannot be coalesced. The caller then delivers
  /// it, after the flow's earlier segments.
  public boolean add(
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
    boolean plain = length > 0 && tcp.isPlain() && (tcp.flags() & ~IpFields.PSH) == IpFields.ACK;
    if (slot != null) {
      if (plain && continues(slot, context, ecn, tcp, length)) {
        append(slot, tcp, bytes, at, length);
        return true;
      }
      flush(slot);
    }
    if (!plain || (tcp.flags() & IpFields.PSH) != 0) {
      return false;
    }
    Slot fresh = begin(slot, sink, flow, context, ecn, length, tcp.headerBytes());
    fresh.acknowledgement = tcp.acknowledgement();
    fresh.window = tcp.window();
    fresh.mask = tcp.mask();
    fresh.timestamps = tcp.timestamps();
    fresh.flags = IpFields.ACK;
    HeaderWriter.ip(
        fresh.headers, flow, context, ecn, tcp.headerBytes() + length, fromDevice, identification);
    HeaderWriter.tcp(fresh.headers, fresh.ipBytes, flow, context, tcp, bytes, length, fromDevice);
    append(fresh, tcp, bytes, at, length);
    return true;
  }

  /// Takes one UDP datagram. @return false if it cannot be coalesced, see [#add]
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
          && slot.headerBytes + slot.payload + length <= RestoreMemory.PACKET_BYTES_MAX) {
        append(slot, bytes, at, length);
        return true;
      }
      flush(slot);
    }
    if (!plain) {
      return false;
    }
    Slot fresh = begin(slot, sink, flow, context, ecn, length, IpFields.UDP_HEADER);
    int transport = IpFields.UDP_HEADER + length;
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
        && s.headerBytes + s.payload + length <= RestoreMemory.PACKET_BYTES_MAX;
  }

  private void append(Slot s, TcpFields tcp, byte[] bytes, int at, int length) {
    s.nextSequence = tcp.sequence() + length;
    s.flags |= tcp.flags();
    append(s, bytes, at, length);
    if (s.flow != null && (tcp.flags() & IpFields.PSH) != 0) {
      flush(s);
    }
  }

  private void append(Slot s, byte[] bytes, int at, int length) {
    s.buffer.setBytes(RestoreMemory.IP_OFFSET + s.headerBytes + s.payload, bytes, at, length);
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

  /// Delivers the held segments of this flow now.
  public void flush(FlowState flow) {
    Slot slot = find(flow);
    if (slot != null) {
      flush(slot);
    }
  }

  /// Delivers all held segments now.
  public void flushAll() {
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
    if (flow.protocol() == IpFields.UDP) {
      HeaderWriter.growDatagram(s.headers, s.ipBytes, flow, s.context, transport);
    } else {
      HeaderWriter.grow(s.headers, s.ipBytes, flow, s.context, transport, s.flags);
    }
    s.buffer.setBytes(RestoreMemory.IP_OFFSET, s.headers, 0, s.headerBytes);
    int gsoSize = s.segments > 1 ? s.segmentBytes : 0;
    sink.packet(
        flow,
        s.packet.set(s.buffer, RestoreMemory.IP_OFFSET, s.headerBytes + s.payload, gsoSize, true));
  }

  public void close() {
    for (Slot slot : slots) {
      slot.buffer.release();
    }
  }
}
