package io.viaduct.tunnel.compound;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.SendContexts;
import io.viaduct.tunnel.fragment.BodyLimit;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.InternetChecksum;
import io.viaduct.tunnel.wire.VarInt;
import io.viaduct.tunnel.wire.Verdict;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Turns inner packets into records: a superpacket is cut at its segment size, each segment becomes
/// one record. A record that would fill a datagram anyway and does not compress goes straight into
/// a compound of its own; all others go through the open compound of their class.
public final class PacketEncoder {
  private static final int TCP_HEADER = 20;
  private static final int UDP_HEADER = 8;
  private static final int FIN_PSH = 0x09;
  private static final int CWR = 0x80;
  private static final int TIMESTAMPS_OPTION = 0x0101_080A;
  private static final int HEAD_MAX = 128;

  private static final int TRIAL_SEGMENTS = 4;

  /// Tag and stamp of a long body.
  private static final int LONG_OVERHEAD = AeadAlgorithm.TAG_BYTES + Record.STAMP_BLOCK_BYTES;

  private int capacity;
  private final CompoundMemory memory;
  private final Consumer<Compound> closed;
  private final Ipv4Fragments fragmenter;
  private final byte[] head = new byte[HEAD_MAX];

  // The packet at hand.
  private ByteBuf packet = Unpooled.EMPTY_BUFFER;
  private int at;
  private int transport;
  private int headerBytes;
  private int payloadAt;
  private int payloadBytes;
  private int segmentBytes;
  private int kind;
  private int headBytes;
  private long nowNs;

  public PacketEncoder(int capacity, CompoundMemory memory, Consumer<Compound> closed) {
    this.capacity = capacity;
    this.memory = memory;
    this.fragmenter = memory.fragments;
    this.closed = closed;
  }

  /// Bodies may be of another size from here on.
  public void resize(int bytes) {
    capacity = bytes;
  }

  /// Encodes one packet of a flow, or without flow.
  ///
  /// @param key has parsed it
  /// @param nextSequence of the next datagram that will be sealed
  /// @param sealedMax longest body that may be sealed as one, 0: each datagram is
  /// @return QUEUED or PACKET_TOO_BIG
  public Verdict encode(
      ByteBuf from,
      int ipOffset,
      int length,
      int gsoSize,
      boolean checksumPartial,
      FlowKey key,
      @Nullable FlowState flow,
      CompoundWriter writer,
      long nextSequence,
      int sealedMax,
      long arrivalNs) {
    packet = from;
    at = ipOffset;
    nowNs = arrivalNs;
    transport = ipOffset + key.transportOffset();
    boolean segmented = split(length, gsoSize, key);
    boolean vouched = checksumPartial || segmented;
    boolean elide = false;
    int generation = SendContexts.NONE;
    if (flow != null && key.elidable()) {
      generation = flow.sendContexts().generation(key.header(), nextSequence, flow.queued() == 0);
      elide = flow.sendContexts().isAcknowledged(generation);
    }
    if (flow == null || !elide) {
      return whole(length, checksumPartial, segmented, generation, key, flow, writer);
    }
    kind = elidedKind(key, length, vouched);
    if (kind == Record.IP) {
      if (vouched && !key.portless()) {
        return whole(length, checksumPartial, segmented, generation, key, flow, writer);
      }
      headerBytes = key.transportOffset();
      payloadAt = transport;
      payloadBytes = length - headerBytes;
      segmentBytes = payloadBytes;
    }
    int most = Math.min(segmentBytes, payloadBytes);
    writeHead(key, flow, generation);
    if (headBytes + most + 1 > capacity) {
      return fragments(checksumPartial, segmented, key, writer);
    }
    int longest = longestRun(sealedMax);
    if (longest > segmentBytes) {
      runs(longest, flow, writer);
    } else {
      segments(0, payloadBytes, flow, writer);
    }
    return Verdict.QUEUED;
  }

  private void segments(int from, int to, FlowState flow, CompoundWriter writer) {
    int sent = from;
    do {
      int bytes = Math.min(segmentBytes, to - sent);
      segment(sent, bytes, flow, writer);
      sent += bytes;
    } while (sent < to);
  }

  /// Payload of whole segments that one long body may carry; 0: none.
  private int longestRun(int sealedMax) {
    if (kind != Record.TCP
        || segmentBytes < Record.SEGMENT_BYTES_MIN
        || Math.min(payloadBytes, sealedMax) < BodyLimit.BYTES_MIN) {
      return 0;
    }
    int room = Math.min(sealedMax - LONG_OVERHEAD, CompoundMemory.LONG_BODY) - headBytes - 3;
    return room / segmentBytes * segmentBytes;
  }

  /// Each run of segments becomes one record, which leaves the other end as one superpacket; but
  /// what compresses goes the way of single segments, and of what has not done so lately a few
  /// segments now and then, to see whether it does again.
  private void runs(int longest, FlowState flow, CompoundWriter writer) {
    int sent = 0;
    if (writer.compresses(flow, segmentBytes, nowNs)) {
      boolean doubtful = flow.compression().isDoubtful();
      sent = doubtful ? Math.min(payloadBytes, TRIAL_SEGMENTS * segmentBytes) : payloadBytes;
      segments(0, sent, flow, writer);
    }
    if (sent < payloadBytes && !writer.isEmpty()) {
      writer.close();
    }
    while (sent < payloadBytes) {
      int bytes = Math.min(longest, payloadBytes - sent);
      if (bytes <= segmentBytes) {
        segment(sent, bytes, flow, writer);
      } else {
        run(sent, bytes, flow, writer);
      }
      sent += bytes;
    }
  }

  private void run(int offset, int bytes, FlowState flow, CompoundWriter writer) {
    Compound compound = memory.rent(CompoundMemory.LONG_BODY).begin(writer.serviceClass());
    byte[] to = compound.bytes;
    int start = Compound.BODY + 1;
    to[Compound.BODY] = 0;
    System.arraycopy(head, 0, to, start, headBytes);
    patchSegment(to, start, offset, bytes, Record.MASK_SEGMENTED);
    to[start] |= Record.LAST;
    int end = start + headBytes;
    BigEndian.putShort(to, end, segmentBytes);
    packet.getBytes(payloadAt + offset, to, end + 2, bytes);
    int record = headBytes + 2 + bytes;
    int segments = (bytes + segmentBytes - 1) / segmentBytes;
    compound.length = 1 + record;
    compound.account(flow, segments, segments * headerBytes + bytes, record, nowNs);
    flow.queued(segments);
    closed.accept(compound);
  }

  /// Finds the payload and how it is cut. @return whether there is more than one segment
  private boolean split(int length, int gsoSize, FlowKey key) {
    headerBytes = key.transportOffset();
    if (!key.portless() && key.protocol() == FlowKey.TCP) {
      headerBytes += (packet.getByte(transport + 12) >>> 4 & 0xF) << 2;
    } else if (!key.portless() && key.protocol() == FlowKey.UDP) {
      headerBytes += UDP_HEADER;
    }
    payloadAt = at + headerBytes;
    payloadBytes = length - headerBytes;
    boolean segmented =
        gsoSize > 0 && gsoSize < payloadBytes && headerBytes > key.transportOffset();
    segmentBytes = segmented ? gsoSize : Math.max(1, payloadBytes);
    return segmented;
  }

  private int elidedKind(FlowKey key, int length, boolean vouched) {
    if (key.portless()) {
      return Record.IP;
    }
    boolean tcp = key.protocol() == FlowKey.TCP;
    if (!tcp && key.protocol() != FlowKey.UDP) {
      return Record.IP;
    }
    if (tcp && (packet.getByte(transport + 12) & 0x0E) != 0) {
      return Record.IP; // reserved bits, RFC 9293 §3.1
    }
    boolean right =
        vouched
            || !tcp && packet.getShort(transport + 6) == 0
            || InternetChecksum.fold(transportSum(key, length)) == 0xFFFF;
    return right ? tcp ? Record.TCP : Record.UDP : Record.IP;
  }

  /// Sum over pseudo header and segment, the checksum field included.
  private long transportSum(FlowKey key, int length) {
    int bytes = length - key.transportOffset();
    return InternetChecksum.sum(packet, transport, bytes, pseudo(key, bytes));
  }

  private long pseudo(FlowKey key, int bytes) {
    long initial = key.protocol() + (long) bytes;
    return key.version() == 4
        ? InternetChecksum.sum(packet, at + 12, 8, initial)
        : InternetChecksum.sum(packet, at + 8, 32, initial);
  }

  /// Writes what stands before the length field of each segment's record.
  private void writeHead(FlowKey key, FlowState flow, int generation) {
    head[0] = (byte) Record.first(kind, key.ecn(), generation);
    int end = VarInt.write(head, 1, flow.id());
    if (kind == Record.TCP) {
      end = writeTcpHead(end);
    }
    headBytes = end;
  }

  private int writeTcpHead(int start) {
    int options = headerBytes - (transport - at) - TCP_HEADER;
    int flags = packet.getUnsignedByte(transport + 13);
    int mask = (packet.getByte(transport + 12) & 1) != 0 ? Record.MASK_AE : 0;
    boolean stamped = options == 12 && packet.getInt(transport + TCP_HEADER) == TIMESTAMPS_OPTION;
    int urgent = packet.getUnsignedShort(transport + 18);
    mask |= stamped ? Record.MASK_TIMESTAMPS : options > 0 ? Record.MASK_OPTIONS : 0;
    mask |= urgent != 0 ? Record.MASK_URGENT : 0;
    int end = start;
    head[end] = (byte) mask;
    packet.getBytes(transport + 4, head, end + 1, 8); // sequence, acknowledgement
    packet.getBytes(transport + 14, head, end + 9, 2); // window
    head[end + 11] = (byte) flags;
    end += 12;
    if (stamped) {
      packet.getBytes(transport + TCP_HEADER + 4, head, end, 8);
      end += 8;
    }
    if (urgent != 0) {
      BigEndian.putShort(head, end, urgent);
      end += 2;
    }
    if (!stamped && options > 0) {
      head[end] = (byte) options;
      packet.getBytes(transport + TCP_HEADER, head, end + 1, options);
      end += 1 + options;
    }
    return end;
  }

  private void segment(int offset, int bytes, FlowState flow, CompoundWriter writer) {
    boolean compress = writer.compresses(flow, bytes, nowNs);
    int record = headBytes + bytes;
    int pre = headerBytes + bytes;
    if (!compress && record + 1 > capacity / 2 && !writer.takesAlong(record)) {
      if (!writer.isEmpty()) {
        writer.close();
      }
      Compound compound = memory.rent(capacity).begin(writer.serviceClass());
      compound.bytes[Compound.BODY] = 0;
      int end = writeRecord(compound.bytes, Compound.BODY + 1, offset, bytes, -1);
      compound.bytes[Compound.BODY + 1] |= Record.LAST;
      compound.length = end - Compound.BODY;
      compound.account(flow, 1, pre, record, nowNs);
      flow.queued(1);
      closed.accept(compound);
      return;
    }
    Staging area = writer.reserve(record + 3, flow, compress);
    int start = area.bytes();
    int lengthAt = start + headBytes;
    int end = writeRecord(area.raw, start, offset, bytes, lengthAt);
    writer.commit(end, lengthAt, flow, compress, 1, pre, nowNs);
  }

  /// @param lengthAt where the length field goes, −1 for none
  private int writeRecord(byte[] to, int start, int offset, int bytes, int lengthAt) {
    System.arraycopy(head, 0, to, start, headBytes);
    int end = start + headBytes;
    if (kind == Record.TCP && segmentBytes < payloadBytes) {
      patchSegment(to, start, offset, bytes, 0);
    }
    if (lengthAt >= 0) {
      end = VarInt.write(to, end, bytes);
    }
    packet.getBytes(payloadAt + offset, to, end, bytes);
    return end + bytes;
  }

  /// What differs between the segments of a superpacket: the sequence number; CWR only in the
  /// first, FIN and PSH only in the last.
  private void patchSegment(byte[] to, int start, int offset, int bytes, int mask) {
    int tcp = start + 1;
    while (to[tcp++] < 0) {
      continue; // the flow's varint
    }
    to[tcp] |= (byte) mask;
    BigEndian.putInt(to, tcp + 1, BigEndian.getInt(to, tcp + 1) + offset);
    to[tcp + 11] = (byte) segmentFlags(to[tcp + 11], offset, bytes);
  }

  private int segmentFlags(int flags, int offset, int bytes) {
    int kept = offset + bytes < payloadBytes ? flags & ~FIN_PSH : flags;
    return offset > 0 ? kept & ~CWR : kept;
  }

  /// OPEN or RAW: the packet as it is, its checksums complete, cut into segments if it must be.
  private Verdict whole(
      int length,
      boolean checksumPartial,
      boolean segmented,
      int generation,
      FlowKey key,
      @Nullable FlowState flow,
      CompoundWriter writer) {
    kind = flow == null ? Record.RAW : Record.OPEN;
    boolean installs = flow != null && generation != SendContexts.NONE;
    head[0] =
        (byte)
            (installs
                ? Record.first(kind, Record.INSTALL, generation)
                : Record.first(kind, Record.DO_NOT_INSTALL, 0));
    headBytes = 1;
    if (flow != null) {
      headBytes = VarInt.write(head, 1, flow.id());
      head[headBytes++] = (byte) flow.application();
    }
    int most = headerBytes + Math.min(segmentBytes, payloadBytes);
    if (headBytes + most + 1 > capacity) {
      return fragments(checksumPartial, segmented, key, writer);
    }
    int sent = 0;
    do {
      int bytes = Math.min(segmentBytes, payloadBytes - sent);
      int packetBytes = headerBytes + bytes;
      boolean compress = flow != null && writer.compresses(flow, packetBytes, nowNs);
      Staging area = writer.reserve(headBytes + 3 + packetBytes, flow, compress);
      int start = area.bytes();
      System.arraycopy(head, 0, area.raw, start, headBytes);
      int lengthAt = start + headBytes;
      int ip = VarInt.write(area.raw, lengthAt, packetBytes);
      packet.getBytes(at, area.raw, ip, headerBytes);
      packet.getBytes(payloadAt + sent, area.raw, ip + headerBytes, bytes);
      if (segmented) {
        rewriteHeaders(area.raw, ip, sent, bytes, key);
      }
      if (segmented || checksumPartial && !key.portless()) {
        completeChecksum(area.raw, ip, packetBytes, key);
      }
      writer.commit(ip + packetBytes, lengthAt, flow, compress, 1, packetBytes, nowNs);
      sent += bytes;
    } while (sent < payloadBytes);
    return Verdict.QUEUED;
  }

  private Verdict fragments(
      boolean checksumPartial, boolean segmented, FlowKey key, CompoundWriter writer) {
    if (!Ipv4Fragments.mayCut(packet.getUnsignedByte(at), packet.getUnsignedShort(at + 6))) {
      return Verdict.PACKET_TOO_BIG;
    }
    byte[] whole = fragmenter.packet;
    int sent = 0;
    do {
      int bytes = Math.min(segmentBytes, payloadBytes - sent);
      packet.getBytes(at, whole, 0, headerBytes);
      packet.getBytes(payloadAt + sent, whole, headerBytes, bytes);
      if (segmented) {
        rewriteHeaders(whole, 0, sent, bytes, key);
      }
      if (segmented || checksumPartial && !key.portless()) {
        completeChecksum(whole, 0, headerBytes + bytes, key);
      }
      fragmenter.cut(headerBytes + bytes, capacity, writer, nowNs);
      sent += bytes;
    } while (sent < payloadBytes);
    return Verdict.QUEUED;
  }

  private void rewriteHeaders(byte[] to, int ip, int offset, int bytes, FlowKey key) {
    int total = headerBytes + bytes;
    int tcp = ip + key.transportOffset();
    if (key.version() == 4) {
      BigEndian.putShort(to, ip + 2, total);
      BigEndian.putShort(to, ip + 4, BigEndian.getShort(to, ip + 4) + offset / segmentBytes);
      BigEndian.putShort(to, ip + 10, 0);
      BigEndian.putShort(
          to, ip + 10, InternetChecksum.of(InternetChecksum.sum(to, ip, key.transportOffset(), 0)));
    } else {
      BigEndian.putShort(to, ip + 4, total - FlowKey.IPV6_HEADER);
    }
    if (key.protocol() == FlowKey.TCP) {
      BigEndian.putInt(to, tcp + 4, BigEndian.getInt(to, tcp + 4) + offset);
      to[tcp + 13] = (byte) segmentFlags(to[tcp + 13], offset, bytes);
    } else {
      BigEndian.putShort(to, tcp + 4, UDP_HEADER + bytes);
    }
  }

  private void completeChecksum(byte[] to, int ip, int packetBytes, FlowKey key) {
    int start = ip + key.transportOffset();
    int bytes = packetBytes - key.transportOffset();
    boolean tcp = key.protocol() == FlowKey.TCP;
    if (!tcp && key.protocol() != FlowKey.UDP) {
      return;
    }
    int field = start + (tcp ? 16 : 6);
    BigEndian.putShort(to, field, 0);
    int checksum = InternetChecksum.of(InternetChecksum.sum(to, start, bytes, pseudo(key, bytes)));
    BigEndian.putShort(to, field, checksum == 0 && !tcp ? 0xFFFF : checksum);
  }
}
