package io.viaduct.tunnel.restore;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.viaduct.tunnel.compound.CompoundMemory;
import io.viaduct.tunnel.compound.CompoundReader;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.metering.TouchedFlows;
import io.viaduct.tunnel.wire.IpPacket;

/// Holds the objects that restore packets and that the sessions of one event loop share: buffers of
/// packets, the reader of bodies, segments that wait for the next one.
public final class RestoreMemory implements AutoCloseable {
  /// Position of a restored packet in its buffer.
  public static final int IP_OFFSET = 16;

  /// Largest packet, and largest body, in bytes.
  public static final int PACKET_BYTES_MAX = 65_535;

  private final ByteBuf buffer;
  private final IpPacket packet = new IpPacket();
  private final SegmentCoalescer coalescer;
  final CompoundReader reader;
  final FlowKey key = new FlowKey();
  final byte[] headers = new byte[HeaderWriter.HEADERS_MAX];
  final TouchedFlows touched = new TouchedFlows();

  public RestoreMemory(ByteBufAllocator allocator, CompoundMemory compounds) {
    buffer = allocator.directBuffer(IP_OFFSET + PACKET_BYTES_MAX);
    reader = new CompoundReader(compounds);
    coalescer = new SegmentCoalescer(allocator);
  }

  /// Returns the packet that is being restored, or an answer to a refused packet, to be filled. It
  /// is always the same object.
  public IpPacket packet(int length) {
    return packet.set(buffer, IP_OFFSET, length);
  }

  /// Returns a packet that is put together from [#headers] and a payload.
  IpPacket packet(
      int headerBytes, byte[] payload, int at, int length, int gsoSize, boolean partial) {
    buffer.setBytes(IP_OFFSET, headers, 0, headerBytes);
    buffer.setBytes(IP_OFFSET + headerBytes, payload, at, length);
    return packet.set(buffer, IP_OFFSET, headerBytes + length, gsoSize, partial);
  }

  public SegmentCoalescer coalescer() {
    return coalescer;
  }

  @Override
  public void close() {
    buffer.release();
    coalescer.close();
  }
}
