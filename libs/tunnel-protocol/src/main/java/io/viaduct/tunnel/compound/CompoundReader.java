package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.dictionary.EpochAnnouncement;
import io.viaduct.tunnel.dictionary.ReceiveHistory;
import io.viaduct.tunnel.wire.Arrival;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.VarInt;
import io.viaduct.tunnel.wire.Verdict;
import org.jspecify.annotations.Nullable;

/// Splits the body of a DATA datagram into blocks and records. The form of the whole body is
/// checked before the first record is delivered, so that a malformed datagram changes nothing. No
/// byte is read before its presence is checked. The blocks of one body decompress together to at
/// most 65,535 bytes.
public final class CompoundReader {
  /// Bound on the contents of one datagram after decompression, in bytes.
  public static final int BYTES_MAX = 65_535;

  private static final int FLOW_MAX = (1 << 21) - 1;
  private static final int BLOCKS_MAX = 256;
  private final CompoundMemory memory;
  private final byte[] inflated = new byte[BYTES_MAX];
  private final byte[][] source = new byte[BLOCKS_MAX][];
  private final int[] start = new int[BLOCKS_MAX];
  private final int[] end = new int[BLOCKS_MAX];
  private final int[] context = new int[BLOCKS_MAX];
  private final int[] epoch = new int[BLOCKS_MAX];
  private final boolean[] enters = new boolean[BLOCKS_MAX];
  private final EpochAnnouncement announcement = new EpochAnnouncement();
  private final TcpFields tcp = new TcpFields();
  private final long[] values = new long[8];
  private int blocks;
  private int position;
  private int filled;

  public CompoundReader(CompoundMemory memory) {
    this.memory = memory;
  }

  /// Delivers the records of a body to the sink.
  ///
  /// @param history null if the peers have not agreed on histories; then neither histories nor zstd
  ///   are allowed
  /// @return ACCEPTED after all records were delivered; else the reason why none was
  public Verdict read(
      byte[] body,
      int at,
      int length,
      Arrival arrival,
      @Nullable ReceiveHistory history,
      RecordSink sink) {
    Verdict verdict = readBlocks(body, at, at + length, arrival, history);
    if (verdict != Verdict.ACCEPTED) {
      return verdict;
    }
    for (int b = 0; b < blocks; b++) {
      if (!records(source[b], start[b], end[b], b == 0, arrival, null)) {
        return Verdict.MALFORMED;
      }
    }
    if (history != null) {
      for (int b = 0; b < blocks; b++) {
        if (context[b] != 0) {
          history.block(
              arrival, context[b], epoch[b], enters[b], source[b], start[b], end[b] - start[b]);
        }
      }
      history.end(arrival);
    }
    for (int b = 0; b < blocks; b++) {
      records(source[b], start[b], end[b], b == 0, arrival, sink);
    }
    return Verdict.ACCEPTED;
  }

  private Verdict readBlocks(
      byte[] body, int at, int limit, Arrival arrival, @Nullable ReceiveHistory history) {
    if (history != null) {
      history.begin();
    }
    position = at;
    filled = 0;
    boolean more = true;
    for (blocks = 0; more; blocks++) {
      if (position >= limit || blocks == BLOCKS_MAX) {
        return Verdict.MALFORMED;
      }
      int descriptor = body[position++];
      more = (descriptor & Record.MORE) != 0;
      Verdict verdict = readBlock(body, limit, descriptor, arrival, history);
      if (verdict != Verdict.ACCEPTED) {
        return verdict;
      }
    }
    return Verdict.ACCEPTED;
  }

  private Verdict readBlock(
      byte[] body, int limit, int descriptor, Arrival arrival, @Nullable ReceiveHistory history) {
    int codec = descriptor & Record.CODEC;
    boolean inContext = (descriptor & Record.CONTEXT) != 0;
    int highest = history == null ? Record.LZ4 : Record.ZSTD;
    if ((descriptor & Record.DESCRIPTOR_RESERVED) != 0
        || codec > highest
        || inContext && history == null
        || !inContext && (descriptor & Record.ENTERS) != 0) {
      return Verdict.MALFORMED;
    }
    boolean more = (descriptor & Record.MORE) != 0;
    int needed = (more ? 2 : 0) + (codec != 0 ? 2 : 0);
    if (limit - position < needed) {
      return Verdict.MALFORMED;
    }
    int stated = 0;
    if (more) {
      stated = BigEndian.getShort(body, position);
      position += 2;
    }
    int original = 0;
    if (codec != 0) {
      original = BigEndian.getShort(body, position);
      position += 2;
    }
    if (!readContext(body, limit, inContext, codec)) {
      return Verdict.MALFORMED;
    }
    enters[blocks] = (descriptor & Record.ENTERS) != 0;
    int bytes = more ? stated : limit - position;
    if (bytes > limit - position) {
      return Verdict.MALFORMED;
    }
    if (codec == 0) {
      source[blocks] = body;
      start[blocks] = position;
      end[blocks] = position + bytes;
      position += bytes;
      return Verdict.ACCEPTED;
    }
    if (original > BYTES_MAX - filled) {
      return Verdict.BAD_COMPRESSION;
    }
    Verdict verdict = decompress(codec, body, bytes, original, arrival, history);
    source[blocks] = inflated;
    start[blocks] = filled;
    filled += original;
    end[blocks] = filled;
    position += bytes;
    return verdict;
  }

  private Verdict decompress(
      int codec,
      byte[] body,
      int bytes,
      int original,
      Arrival arrival,
      @Nullable ReceiveHistory history) {
    if (codec == Record.ZSTD && history != null) {
      return history.decompress(
          arrival,
          context[blocks],
          epoch[blocks],
          body,
          position,
          bytes,
          inflated,
          filled,
          original);
    }
    return memory.codec.decompress(body, position, bytes, inflated, filled, original)
        ? Verdict.ACCEPTED
        : Verdict.BAD_COMPRESSION;
  }

  /// Reads context and epoch. An epoch is allowed with zstd only.
  private boolean readContext(byte[] body, int limit, boolean present, int codec) {
    context[blocks] = 0;
    epoch[blocks] = 0;
    if (!present) {
      return true;
    }
    long read = VarInt.readInt(body, position, limit);
    context[blocks] = (int) read;
    if (read < 0 || context[blocks] == 0) {
      return false;
    }
    position += (int) (read >>> 32);
    read = VarInt.readInt(body, position, limit);
    epoch[blocks] = (int) read;
    position += (int) (read >>> 32);
    return read >= 0 && (epoch[blocks] == 0 || codec == Record.ZSTD);
  }

  /// Parses the records of one block. @param sink null to check only. @return true if the block is
  /// well-formed
  private boolean records(
      byte[] from, int at, int limit, boolean first, Arrival arrival, @Nullable RecordSink sink) {
    int position = at;
    while (position < limit) {
      int head = from[position];
      int kind = head >>> 5 & 7;
      int next =
          switch (kind) {
            case Record.CONTROL ->
                control(from, position, limit, head & 0x1F, first && position == at, arrival, sink);
            case Record.OPEN, Record.UDP, Record.TCP, Record.IP, Record.RAW, Record.NUMBERED ->
                packet(from, position, limit, head, kind, arrival, sink);
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
      byte[] from,
      int start,
      int limit,
      int head,
      int kind,
      Arrival arrival,
      @Nullable RecordSink sink) {
    int position = start + 1;
    int flow = 0;
    int application = 0;
    int number = Record.NO_NUMBER;
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
    } else if (kind == Record.NUMBERED) {
      if (limit - position < Record.NUMBER_BYTES) {
        return -1;
      }
      number = BigEndian.getMedium(from, position);
      position += Record.NUMBER_BYTES;
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
                arrival,
                flow,
                generation,
                ecn == 0,
                application,
                from,
                position,
                bytes,
                next - start);
        case Record.TCP ->
            sink.tcp(arrival, flow, ecn, generation, tcp, from, position, bytes, next - start);
        default ->
            sink.elided(
                arrival,
                kind == Record.NUMBERED ? Record.UDP : kind,
                flow,
                ecn,
                generation,
                number,
                from,
                position,
                bytes,
                next - start);
      }
    }
    return next;
  }

  private int control(
      byte[] from,
      int start,
      int limit,
      int subtype,
      boolean leading,
      Arrival arrival,
      @Nullable RecordSink sink) {
    int position = start + 1;
    if (subtype == Record.PADDING) {
      return limit;
    }
    if (subtype == Record.STAMP) {
      if (!leading || limit - position < 4) {
        return -1;
      }
      if (sink != null) {
        sink.stamp(arrival, BigEndian.getInt(from, position));
      }
      return position + 4;
    }
    if (subtype == Record.EPOCH || subtype == Record.EPOCH_UNKNOWN) {
      return epoch(from, position, limit, subtype, arrival, sink);
    }
    if (subtype == Record.INCOMPLETE) {
      return incomplete(from, position, limit, arrival, sink);
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
            sink.controls().flowAck(flow, from[position], BigEndian.getInt(from, position + 1));
        case Record.FLOW_UNKNOWN -> sink.controls().flowUnknown(flow, from[position]);
        case Record.FLOW_ROUTE -> sink.controls().flowRoute(arrival, flow, from[position] & 0xFF);
        case Record.FLOW_SPREAD -> sink.controls().flowSpread(arrival, flow);
        case Record.FLOW_STATS -> sink.controls().flowStats(arrival, flow, values);
        case Record.FLOW_WAITED -> sink.controls().flowWaited(flow, values[0]);
        default -> sink.controls().flowEnd(flow);
      }
      sink.control(next - start);
    }
    return next;
  }

  private int epoch(
      byte[] from, int at, int limit, int subtype, Arrival arrival, @Nullable RecordSink sink) {
    if (subtype == Record.EPOCH) {
      int next = announcement.read(from, at, limit);
      if (next >= 0 && sink != null) {
        sink.controls().epoch(arrival, announcement);
        sink.control(next - at + 1);
      }
      return next;
    }
    long context = VarInt.readInt(from, at, limit);
    int position = at + (int) (context >>> 32);
    long epoch = context < 0 ? context : VarInt.readInt(from, position, limit);
    if (epoch < 0) {
      return -1;
    }
    int next = position + (int) (epoch >>> 32);
    if (sink != null) {
      sink.controls().epochUnknown((int) context, (int) epoch);
      sink.control(next - at + 1);
    }
    return next;
  }

  private static int incomplete(
      byte[] from, int at, int limit, Arrival arrival, @Nullable RecordSink sink) {
    long bodies = VarInt.readInt(from, at, limit);
    if (bodies < 0) {
      return -1;
    }
    int next = at + (int) (bodies >>> 32);
    if (sink != null) {
      sink.controls().incomplete(arrival, (int) bodies);
      sink.control(next - at + 1);
    }
    return next;
  }

  private int fields(byte[] from, int at, int limit, int subtype) {
    switch (subtype) {
      case Record.FLOW_ACK:
        return limit - at < 5 || (from[at] & 0xFC) != 0 ? -1 : at + 5;
      case Record.FLOW_UNKNOWN:
        return limit - at < 1 || (from[at] & 0xFC) != 0 ? -1 : at + 1;
      case Record.FLOW_ROUTE:
        return limit - at < 1 ? -1 : at + 1;
      case Record.FLOW_END, Record.FLOW_SPREAD:
        return at;
      case Record.FLOW_STATS:
        return values(from, at, limit, values.length);
      case Record.FLOW_WAITED:
        return values(from, at, limit, 1);
      default:
        return -1;
    }
  }

  private int values(byte[] from, int at, int limit, int count) {
    int position = at;
    for (int i = 0; i < count; i++) {
      int length = VarInt.lengthOfLong(from, position, limit);
      if (length == 0) {
        return -1;
      }
      values[i] = VarInt.readLong(from, position, length);
      position += length;
    }
    return position;
  }
}
