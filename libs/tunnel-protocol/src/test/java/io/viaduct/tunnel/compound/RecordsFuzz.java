package io.viaduct.tunnel.compound;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.tunnel.dictionary.BackgroundWork;
import io.viaduct.tunnel.dictionary.GoldenHistory;
import io.viaduct.tunnel.dictionary.HistoryMemory;
import io.viaduct.tunnel.dictionary.ReceiveHistory;
import io.viaduct.tunnel.wire.Arrival;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Reads arbitrary bodies of datagrams: blocks of every codec, histories, records, without a
/// session. Rule: a verdict, and every reported position lies in the array.
final class RecordsFuzz {
  private static final Arrival ARRIVAL = new Arrival();
  private static final CompoundReader READER = new CompoundReader(new CompoundMemory());
  private static final HistoryMemory HISTORIES =
      new HistoryMemory(BackgroundWork.INLINE, () -> 0, HistoryMemory.BUDGET_BYTES);

  private static void within(byte[] bytes, int at, int length, int recordBytes) {
    if (at < 0 || length < 0 || at + length > bytes.length || recordBytes < 1) {
      throw new AssertionError(at + " + " + length + " of " + bytes.length);
    }
  }

  private static final RecordSink SINK =
      new RecordSink() {
        @Override
        public void stamp(Arrival arrival, int timeUs) {}

        @Override
        public void whole(
            Arrival arrival,
            int flow,
            int generation,
            boolean install,
            int application,
            byte[] bytes,
            int at,
            int length,
            int recordBytes) {
          within(bytes, at, length, recordBytes);
        }

        @Override
        public void elided(
            Arrival arrival,
            int kind,
            int flow,
            int ecn,
            int generation,
            int number,
            byte[] bytes,
            int at,
            int length,
            int recordBytes) {
          within(bytes, at, length, recordBytes);
          if (number < Record.NO_NUMBER || number >>> 24 != 0 && number != Record.NO_NUMBER) {
            throw new AssertionError("number " + number);
          }
        }

        @Override
        public void tcp(
            Arrival arrival,
            int flow,
            int ecn,
            int generation,
            TcpFields fields,
            byte[] bytes,
            int at,
            int length,
            int recordBytes) {
          within(bytes, at, length, recordBytes);
          if (fields.optionsBytes() > 0) {
            within(bytes, fields.optionsAt(), fields.optionsBytes(), recordBytes);
          }
        }

        @Override
        public ControlSink controls() {
          return ControlSink.SILENT;
        }

        @Override
        public void control(int recordBytes) {}
      };

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    READER.read(input, 0, input.length, ARRIVAL, null, SINK);
    ReceiveHistory history = new ReceiveHistory(HISTORIES, 1 << 14, new ControlQueue());
    try {
      for (int datagram = 0; datagram < 3; datagram++) {
        Arrival arrival =
            ARRIVAL.set(ServiceClass.LT_LD, datagram, true, 0, "", datagram * 1_000_000L);
        READER.read(input, 0, input.length, arrival, history, SINK);
      }
    } finally {
      history.close();
    }
  }

  static List<byte[]> seeds() {
    byte[] text = "etaoin shrdlu etaoin shrdlu etaoin shrdlu etaoin shrdlu".getBytes();
    byte[] raw = new byte[text.length + 2];
    raw[0] = (byte) (Record.first(Record.RAW, 0, 0) | Record.LAST);
    System.arraycopy(text, 0, raw, 1, text.length);
    byte[] stored = new byte[raw.length + 1];
    System.arraycopy(raw, 0, stored, 1, raw.length);
    BlockCodec codec = new BlockCodec();
    byte[] block = new byte[codec.bound(raw.length)];
    int bytes = codec.compress(raw, 0, raw.length, block);
    byte[] compressed = new byte[3 + bytes];
    compressed[0] = Record.LZ4;
    compressed[2] = (byte) raw.length;
    System.arraycopy(block, 0, compressed, 3, bytes);
    byte[] stamp = new byte[Record.STAMP_BLOCK_BYTES + stored.length];
    ControlQueue.writeStampBlock(stamp, 0, 123456);
    System.arraycopy(stored, 0, stamp, Record.STAMP_BLOCK_BYTES, stored.length);
    byte[] controls = {
      0,
      Record.FLOW_ACK,
      5,
      1,
      0,
      0,
      0,
      9,
      Record.FLOW_UNKNOWN,
      5,
      2,
      Record.FLOW_STATS,
      5,
      1,
      2,
      3,
      4,
      5,
      6,
      7,
      8,
      Record.FLOW_WAITED,
      5,
      9,
      Record.FLOW_END,
      5,
      Record.PADDING,
      0,
      0
    };
    HexFormat hex = HexFormat.of();
    byte[] zstd = hex.parseHex(GoldenHistory.zstdBody());
    byte[] superpacket =
        hex.parseHex("0070" + "01" + "11" + "00".repeat(10) + "10" + "0".repeat(16));
    return List.of(stored, compressed, stamp, controls, zstd, superpacket);
  }
}
