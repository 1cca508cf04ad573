package io.viaduct.tunnel.compound;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.SendContexts;
import io.viaduct.tunnel.fragment.BodyLimit;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.VarInt;
import io.viaduct.tunnel.wire.Verdict;
import org.jspecify.annotations.Nullable;

/// Turns inner packets into records. A superpacket is cut at its segment size; each segment becomes
/// one record. A record that nearly fills a datagram and does not compress goes directly into a
/// compound of its own. All others go through the open compound of their class.
public final class PacketEncoder {
  private static final int HEAD_MAX = 128;

  private static final int TRIAL_SEGMENTS = 4;

  /// Bytes of tag and stamp of a long body.
  private static final int LONG_OVERHEAD = AeadAlgorithm.TAG_BYTES + Record.STAMP_BLOCK_BYTES;

  private int capacity;
  private final CompoundMemory memory;
  private final CompoundSink closed;
  private final Ipv4Fragments fragmenter;
  private final byte[] head = new byte[HEAD_MAX];

  // The packet that is being encoded.
  private final InnerPacket packet;
  private int kind;
  private int headBytes;

  public PacketEncoder(int capacity, CompoundMemory memory, CompoundSink closed) {
    this.capacity = capacity;
    this.memory = memory;
    this.fragmenter = memory.fragments;
    this.packet = memory.inner;
    this.closed = closed;
  }

  /// Sets the largest body from here on.
  public void resize(int bytes) {
    capacity = bytes;
  }

  /// Encodes one packet, with or without a flow.
  ///
  /// @param key key that has parsed the packet
  /// @param nextSequence sequence of the next datagram that will be sealed
  /// @param sealedMax longest body that may be sealed as one; 0 if each datagram is sealed by
  ///   itself
  /// @return QUEUED or PACKET_TOO_BIG
  public Verdict encode(
      IpPacket from,
      FlowKey key,
      @Nullable FlowState flow,
      CompoundWriter writer,
      long nextSequence,
      int sealedMax,
      long arrivalNs) {
    packet.begin(from, key, arrivalNs);
    if (flow != null) {
      writer.offered(flow, packet.payloadBytes(), packet.arrivalNs());
    }
    boolean elide = false;
    int generation = SendContexts.NONE;
    if (flow != null && key.isElidable()) {
      generation = flow.sendContexts().generation(key.header(), nextSequence, flow.queued() == 0);
      elide = flow.sendContexts().isAcknowledged(generation);
    }
    if (flow == null || !elide) {
      return whole(generation, flow, writer);
    }
    kind = elidedKind(key, flow);
    if (kind == Record.IP) {
      if (packet.isChecksumTrusted() && !key.isPortless()) {
        return whole(generation, flow, writer);
      }
      packet.takeTransportAsPayload();
    }
    writeHead(flow, generation);
    if (headBytes + packet.longestSegment() + 1 > capacity) {
      return whole(SendContexts.NONE, flow, writer);
    }
    int longest = longestRun(sealedMax);
    if (longest > packet.segmentBytes()) {
      runs(longest, flow, writer);
    } else {
      segments(0, packet.payloadBytes(), flow, writer);
    }
    return Verdict.QUEUED;
  }

  private void segments(int from, int to, FlowState flow, CompoundWriter writer) {
    int sent = from;
    do {
      int bytes = Math.min(packet.segmentBytes(), to - sent);
      segment(sent, bytes, flow, writer);
      sent += bytes;
    } while (sent < to);
  }

  /// Returns the payload bytes of whole segments that one long body may carry; 0 means none.
  private int longestRun(int sealedMax) {
    int segmentBytes = packet.segmentBytes();
    if (kind != Record.TCP
        || segmentBytes < Record.SEGMENT_BYTES_MIN
        || Math.min(packet.payloadBytes(), sealedMax) < BodyLimit.BYTES_MIN) {
      return 0;
    }
    int room = Math.min(sealedMax - LONG_OVERHEAD, CompoundMemory.LONG_BODY) - headBytes - 3;
    return room / segmentBytes * segmentBytes;
  }

  /// Makes one record of each run of segments; the other end delivers it as one superpacket.
  /// Segments that compress are sent as single segments instead. If the flow did not compress
  /// lately, only a few segments are tried.
  private void runs(int longest, FlowState flow, CompoundWriter writer) {
    int payloadBytes = packet.payloadBytes();
    int segmentBytes = packet.segmentBytes();
    int sent = 0;
    if (writer.shouldCompress(flow, packet.arrivalNs())) {
      boolean doubtful = flow.compression().isDoubtful();
      sent = doubtful ? Math.min(payloadBytes, TRIAL_SEGMENTS * segmentBytes) : payloadBytes;
      segments(0, sent, flow, writer);
    }
    if (sent < payloadBytes && !writer.isEmpty()) {
      writer.close(packet.arrivalNs());
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
    Compound compound = memory.rent(CompoundMemory.LONG_BODY).beginLong(writer.serviceClass());
    byte[] to = compound.bytes;
    int start = Compound.BODY + 1;
    to[Compound.BODY] = 0;
    System.arraycopy(head, 0, to, start, headBytes);
    patchSegment(to, start, offset, bytes, Record.MASK_SEGMENTED);
    to[start] |= Record.LAST;
    int end = start + headBytes;
    BigEndian.putShort(to, end, packet.segmentBytes());
    packet.bytes().getBytes(packet.payloadAt() + offset, to, end + 2, bytes);
    int record = headBytes + 2 + bytes;
    int segments = (bytes + packet.segmentBytes() - 1) / packet.segmentBytes();
    compound.length = 1 + record;
    compound.account(
        flow, segments, segments * packet.headerBytes() + bytes, record, packet.arrivalNs());
    flow.queued(segments);
    closed.closed(compound, packet.arrivalNs());
  }

  private int elidedKind(FlowKey key, FlowState flow) {
    if (key.isPortless()) {
      return Record.IP;
    }
    boolean tcp = key.protocol() == IpFields.TCP;
    if (!tcp && key.protocol() != IpFields.UDP) {
      return Record.IP;
    }
    ByteBuf bytes = packet.bytes();
    int transport = packet.transport();
    if (tcp && (bytes.getByte(transport + IpFields.TCP_DATA_OFFSET) & 0x0E) != 0) {
      return Record.IP; // reserved bits, RFC 9293 §3.1
    }
    boolean right =
        packet.isChecksumTrusted()
            || !tcp && bytes.getShort(transport + IpFields.UDP_CHECKSUM) == 0
            || packet.checksumHolds();
    int udp = flow.isSpread() ? Record.NUMBERED : Record.UDP;
    return right ? tcp ? Record.TCP : udp : Record.IP;
  }

  /// Writes the fields before the length field of each segment's record.
  private void writeHead(FlowState flow, int generation) {
    head[0] = (byte) Record.first(kind, packet.key().ecn(), generation);
    int end = VarInt.write(head, 1, flow.id());
    if (kind == Record.TCP) {
      end = writeTcpHead(end);
    } else if (kind == Record.NUMBERED) {
      end += Record.NUMBER_BYTES; // each segment has its own
    }
    headBytes = end;
  }

  private int writeTcpHead(int start) {
    ByteBuf bytes = packet.bytes();
    int transport = packet.transport();
    int options = packet.payloadAt() - transport - IpFields.TCP_HEADER;
    int flags = bytes.getUnsignedByte(transport + IpFields.TCP_FLAGS);
    int mask = (bytes.getByte(transport + IpFields.TCP_DATA_OFFSET) & 1) != 0 ? Record.MASK_AE : 0;
    boolean stamped =
        options == 12
            && bytes.getInt(transport + IpFields.TCP_HEADER) == IpFields.TIMESTAMPS_OPTION;
    int urgent = bytes.getUnsignedShort(transport + IpFields.TCP_URGENT);
    mask |= stamped ? Record.MASK_TIMESTAMPS : options > 0 ? Record.MASK_OPTIONS : 0;
    mask |= urgent != 0 ? Record.MASK_URGENT : 0;
    int end = start;
    head[end] = (byte) mask;
    bytes.getBytes(transport + IpFields.TCP_SEQUENCE, head, end + 1, 8); // and acknowledgement
    bytes.getBytes(transport + IpFields.TCP_WINDOW, head, end + 9, 2);
    head[end + 11] = (byte) flags;
    end += 12;
    if (stamped) {
      bytes.getBytes(transport + IpFields.TCP_HEADER + 4, head, end, 8);
      end += 8;
    }
    if (urgent != 0) {
      BigEndian.putShort(head, end, urgent);
      end += 2;
    }
    if (!stamped && options > 0) {
      head[end] = (byte) options;
      bytes.getBytes(transport + IpFields.TCP_HEADER, head, end + 1, options);
      end += 1 + options;
    }
    return end;
  }

  private void segment(int offset, int bytes, FlowState flow, CompoundWriter writer) {
    boolean compress = writer.shouldCompress(flow, packet.arrivalNs());
    int record = headBytes + bytes;
    int pre = packet.headerBytes() + bytes;
    if (!compress && record + 1 > capacity / 2 && !writer.carriesControlsWith(record)) {
      if (!writer.isEmpty()) {
        writer.close(packet.arrivalNs());
      }
      Compound compound = memory.rent(capacity).begin(writer.serviceClass());
      compound.bytes[Compound.BODY] = 0;
      int end = writeRecord(compound.bytes, Compound.BODY + 1, offset, bytes, flow, -1);
      compound.bytes[Compound.BODY + 1] |= Record.LAST;
      compound.length = end - Compound.BODY;
      compound.account(flow, 1, pre, record, packet.arrivalNs());
      flow.queued(1);
      closed.closed(compound, packet.arrivalNs());
      return;
    }
    Staging area = writer.reserve(record + 3, flow, compress, packet.arrivalNs());
    int start = area.bytes();
    int lengthAt = start + headBytes;
    int end = writeRecord(area.raw, start, offset, bytes, flow, lengthAt);
    writer.commit(end, lengthAt, flow, compress, 1, pre, packet.arrivalNs());
  }

  /// Writes a record. @param lengthAt position for the length field, −1 for none
  private int writeRecord(
      byte[] to, int start, int offset, int bytes, FlowState flow, int lengthAt) {
    System.arraycopy(head, 0, to, start, headBytes);
    int end = start + headBytes;
    if (kind == Record.NUMBERED) {
      BigEndian.putMedium(to, end - Record.NUMBER_BYTES, flow.takeNumber());
    }
    if (kind == Record.TCP && packet.segmentBytes() < packet.payloadBytes()) {
      patchSegment(to, start, offset, bytes, 0);
    }
    if (lengthAt >= 0) {
      end = VarInt.write(to, end, bytes);
    }
    packet.bytes().getBytes(packet.payloadAt() + offset, to, end, bytes);
    return end + bytes;
  }

  /// Sets the fields that differ between the segments of a superpacket: sequence number and flags.
  private void patchSegment(byte[] to, int start, int offset, int bytes, int mask) {
    int tcp = start + 1;
    while (to[tcp++] < 0) {
      continue; // the flow's varint
    }
    to[tcp] |= (byte) mask;
    BigEndian.putInt(to, tcp + 1, BigEndian.getInt(to, tcp + 1) + offset);
    to[tcp + 11] = (byte) packet.flags(to[tcp + 11], offset, bytes);
  }

  /// Writes OPEN or RAW: the unchanged packet with complete checksums, cut into segments if
  /// necessary.
  private Verdict whole(int generation, @Nullable FlowState flow, CompoundWriter writer) {
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
    if (headBytes + packet.headerBytes() + packet.longestSegment() + 1 > capacity) {
      return tooLong(flow, writer);
    }
    int sent = 0;
    do {
      int bytes = packet.segmentBytes(sent);
      int packetBytes = packet.headerBytes() + bytes;
      boolean compress = flow != null && writer.shouldCompress(flow, packet.arrivalNs());
      Staging area =
          writer.reserve(headBytes + 3 + packetBytes, flow, compress, packet.arrivalNs());
      int start = area.bytes();
      System.arraycopy(head, 0, area.raw, start, headBytes);
      int lengthAt = start + headBytes;
      int ip = VarInt.write(area.raw, lengthAt, packetBytes);
      packet.writeSegment(area.raw, ip, sent);
      writer.commit(ip + packetBytes, lengthAt, flow, compress, 1, packetBytes, packet.arrivalNs());
      sent += bytes;
    } while (sent < packet.payloadBytes());
    return Verdict.QUEUED;
  }

  /// Handles a packet that fits into no datagram. It is fragmented if its sender allows that. An
  /// IPv6 packet of up to 1280 bytes, which every link must carry (RFC 8200 §5), is sealed as one
  /// and travels in several datagrams.
  private Verdict tooLong(@Nullable FlowState flow, CompoundWriter writer) {
    ByteBuf bytes = packet.bytes();
    int first = bytes.getUnsignedByte(packet.at());
    boolean cut =
        Ipv4Fragments.mayCut(first, bytes.getUnsignedShort(packet.at() + IpFields.IPV4_FRAGMENT));
    boolean mustCarry =
        first >>> 4 == 6 && packet.headerBytes() + packet.longestSegment() <= IpFields.IPV6_MTU_MIN;
    if (!cut && !mustCarry) {
      return Verdict.PACKET_TOO_BIG;
    }
    if (mustCarry && !writer.isEmpty()) {
      writer.close(packet.arrivalNs());
    }
    int sent = 0;
    do {
      if (cut) {
        fragmenter.cut(
            packet.writeSegment(fragmenter.packet, 0, sent), capacity, writer, packet.arrivalNs());
      } else {
        encodeAlone(sent, flow, writer);
      }
      sent += packet.segmentBytes(sent);
    } while (sent < packet.payloadBytes());
    return Verdict.QUEUED;
  }

  private void encodeAlone(int offset, @Nullable FlowState flow, CompoundWriter writer) {
    int packetBytes = packet.headerBytes() + packet.segmentBytes(offset);
    int record = headBytes + packetBytes;
    Compound compound = memory.rent(1 + record).beginLong(writer.serviceClass());
    int start = Compound.BODY + 1;
    compound.bytes[Compound.BODY] = 0;
    System.arraycopy(head, 0, compound.bytes, start, headBytes);
    compound.bytes[start] |= Record.LAST;
    packet.writeSegment(compound.bytes, start + headBytes, offset);
    compound.length = 1 + record;
    compound.account(flow, 1, packetBytes, record, packet.arrivalNs());
    if (flow != null) {
      flow.queued(1);
    }
    closed.closed(compound, packet.arrivalNs());
  }
}
