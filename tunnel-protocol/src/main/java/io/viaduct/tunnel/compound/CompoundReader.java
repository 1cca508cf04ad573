package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.VarInt;
import io.viaduct.tunnel.wire.Verdict;
import org.jspecify.annotations.Nullable;

/// Takes the body of a DATA datagram apart: blocks, then records. The whole body is checked for
/// form before the first record is delivered, so that a malformed datagram changes nothing. Reads
/// no byte whose presence it has not checked; the blocks of one body together decompress to at most
/// 65,535 bytes.
public final class CompoundReader {
  /// Bound of what one datagram holds after decompression.
  public static final int BYTES_MAX = 65_535;

  private static final int FLOW_MAX = (1 << 21) - 1;
  private static final int BLOCKS_MAX = 256;
  private final CompoundMemory memory;
  private final byte[] inflated = new byte[BYTES_MAX];
  private final byte[][] source = new byte[BLOCKS_MAX][];
  private final int[] start = new int[BLOCKS_MAX];
  private final int[] end = new int[BLOCKS_MAX];
  private final TcpFields tcp = new TcpFields();
  private final long[] stats = new long[8];
  private int blocks;

  public CompoundReader(CompoundMemory memory) {
    this.memory = memory;
  }

  /// @return ACCEPTED after all records were delivered; else why none was
  public Verdict read(byte[] body, int at, int length, RecordSink sink) {
    Verdict verdict = readBlocks(body, at, at + length);
    if (verdict != Verdict.ACCEPTED) {
      return verdict;
    }
    for (int b = 0; b < blocks; b++) {
      if (!records(source[b], start[b], end[b], b == 0, null)) {
        return Verdict.MALFORMED;
      }
    }
    for (int b = 0; b < blocks; b++) {
      records(source[b], start[b], end[b], b == 0, sink);
    }
    return Verdict.ACCEPTED;
  }

  private Verdict readBlocks(byte[] body, int at, int limit) {
    int position = at;
    int filled = 0;
    boolean more = true;
    for (blocks = 0; more; blocks++) {
      if (position >= limit || blocks == BLOCKS_MAX) {
        return Verdict.MALFORMED;
      }
      int descriptor = body[position++];
      more = (descriptor & Record.MORE) != 0;
      int codec = descriptor & Record.CODEC;
      if ((descriptor & 0x1F) != 0 || codec > Record.LZ4) {
        return Verdict.MALFORMED;
      }
      int needed = (more ? 2 : 0) + (codec != 0 ? 2 : 0);
      if (limit - position < needed) {
        return Verdict.MALFORMED;
      }
      int bytes = limit - position - needed;
      if (more) {
        int stated = BigEndian.getShort(body, position);
        position += 2;
        if (stated > bytes) {
          return Verdict.MALFORMED;
        }
        bytes = stated;
      }
      if (codec == 0) {
        source[blocks] = body;
        start[blocks] = position;
        end[blocks] = position + bytes;
      } else {
        int original = BigEndian.getShort(body, position);
        position += 2;
        if (original > BYTES_MAX - filled
            || !memory.codec.decompress(body, position, bytes, inflated, filled, original)) {
          return Verdict.BAD_COMPRESSION;
        }
        source[blocks] = inflated;
        start[blocks] = filled;
        filled += original;
        end[blocks] = filled;
      }
      position += bytes;
    }
    return Verdict.ACCEPTED;
  }

  /// Walks the records of one block. @param sink null: only checks. @return whether the block is
  /// well-formed
  private boolean records(
      byte[] from, int at, int limit, boolean first, @Nullable RecordSink sink) {
    int position = at;
    while (position < limit) {
      int head = from[position];
      int kind = head >>> 5 & 7;
      int next =
          switch (kind) {
            case Record.CONTROL ->
                control(from, position, limit, head & 0x1F, first && position == at, sink);
            case Record.OPEN, Record.UDP, Record.TCP, Record.IP, Record.RAW ->
                packet(from, position, limit, head, kind, sink);
            default -> -1;
          };
      if (next < 0) {
        return false;
      }
      position = next;
    }
    return true;
  }

  private int packet(
      byte[] from, int start, int limit, int head, int kind, @Nullable RecordSink sink) {
    int position = start + 1;
    int flow = 0;
    int application = 0;
    if (kind != Record.RAW) {
      long read = VarInt.readInt(from, position, limit);
      flow = (int) read;
      if (read < 0 || flow == 0 || flow > FLOW_MAX) {
        return -1;
      }
      position += (int) (read >>> 32);
    }
    if (kind == Record.OPEN) {
      if (position == limit) {
        return -1;
      }
      application = from[position++] & 0xFF;
    } else if (kind == Record.TCP) {
      position = tcp.read(from, position, limit);
      if (position < 0) {
        return -1;
      }
    }
    int bytes = limit - position;
    if ((head & Record.LAST) == 0) {
      long read = VarInt.readInt(from, position, limit);
      if (read < 0) {
        return -1;
      }
      position += (int) (read >>> 32);
      bytes = (int) read;
      if (bytes > limit - position) {
        return -1;
      }
    }
    int next = position + bytes;
    if (sink != null) {
      int ecn = head >>> 2 & 3;
      int generation = head & 3;
      switch (kind) {
        case Record.OPEN, Record.RAW ->
            sink.whole(
                flow, generation, ecn == 0, application, from, position, bytes, next - start);
        case Record.TCP ->
            sink.tcp(flow, ecn, generation, tcp, from, position, bytes, next - start);
        default -> sink.elided(kind, flow, ecn, generation, from, position, bytes, next - start);
      }
    }
    return next;
  }

  private int control(
      byte[] from, int start, int limit, int subtype, boolean leading, @Nullable RecordSink sink) {
    int position = start + 1;
    if (subtype == Record.PADDING) {
      return limit;
    }
    if (subtype == Record.STAMP) {
      if (!leading || limit - position < 4) {
        return -1;
      }
      if (sink != null) {
        sink.stamp(BigEndian.getInt(from, position));
      }
      return position + 4;
    }
    long read = VarInt.readInt(from, position, limit);
    int flow = (int) read;
    if (read < 0 || flow == 0 || flow > FLOW_MAX) {
      return -1;
    }
    position += (int) (read >>> 32);
    int next = fields(from, position, limit, subtype);
    if (next >= 0 && sink != null) {
      switch (subtype) {
        case Record.FLOW_ACK ->
            sink.flowAck(flow, from[position], BigEndian.getInt(from, position + 1));
        case Record.FLOW_UNKNOWN -> sink.flowUnknown(flow, from[position]);
        case Record.FLOW_STATS -> sink.flowStats(flow, stats);
        default -> sink.flowEnd(flow);
      }
      sink.control(next - start);
    }
    return next;
  }

  private int fields(byte[] from, int at, int limit, int subtype) {
    switch (subtype) {
      case Record.FLOW_ACK:
        return limit - at < 5 || (from[at] & 0xFC) != 0 ? -1 : at + 5;
      case Record.FLOW_UNKNOWN:
        return limit - at < 1 || (from[at] & 0xFC) != 0 ? -1 : at + 1;
      case Record.FLOW_END:
        return at;
      case Record.FLOW_STATS:
        int position = at;
        for (int i = 0; i < stats.length; i++) {
          int length = VarInt.lengthOfLong(from, position, limit);
          if (length == 0) {
            return -1;
          }
          stats[i] = VarInt.readLong(from, position, length);
          position += length;
        }
        return position;
      default:
        return -1;
    }
  }
}
