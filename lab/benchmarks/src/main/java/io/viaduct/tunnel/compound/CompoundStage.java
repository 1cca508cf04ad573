package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.codec.ClassCodecs;
import io.viaduct.tunnel.dictionary.BackgroundWork;
import io.viaduct.tunnel.dictionary.HistoryMemory;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.flow.FlowTimeouts;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.session.SpeedCheck;
import io.viaduct.tunnel.wire.Arrival;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/// Measures packing packets into one compound and unpacking its records: sixteen of 100 bytes, or
/// one of 1400.
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls set up before anything else
public class CompoundStage {
  private static final int IP = 12;
  private static final int BODY = 1440;
  private static final long HOUR_NS = 3_600_000_000_000L;

  @Param({"random", "text"})
  public String payload;

  @Param({"100", "1400"})
  public int bytes;

  private final CompoundMemory memory = new CompoundMemory();
  private final Arrival arrival = new Arrival();
  private final CompoundReader reader = new CompoundReader(memory);
  private final FlowKey key = new FlowKey();
  private final RecordCount records = new RecordCount();
  private CompoundWriter writer;
  private PacketEncoder encoder;
  private IpPacket packet;
  private FlowState flow;
  private byte[] body;
  private int bodyBytes;

  @Setup
  public void openFlow() {
    FlowTimeouts hourTimeouts = new FlowTimeouts(HOUR_NS, HOUR_NS, HOUR_NS);
    FlowTable flows =
        new FlowTable(true, 16, hourTimeouts, FlowListener.SILENT, new VerdictCounters());
    byte[] data = new byte[bytes - 28];
    new SplittableRandom(3).nextBytes(data);
    for (int i = 0; payload.equals("text") && i < data.length; i++) {
      data[i] = (byte) "etaoin shrdlu, ".charAt(i % 15);
    }
    packet =
        new IpPacket()
            .set(
                SpeedCheck.buffer(PacketForge.udp(Endpoints.ipv4(5001, 7, 5060), data)), IP, bytes);
    key.parse(packet);
    FlowState found = flows.lookup(key, 0);
    if (found == null) {
      throw new IllegalStateException("the forged packet must have a flow");
    }
    flow = found;
    HistoryMemory histories = new HistoryMemory(BackgroundWork.INLINE, () -> 0, 1 << 20);
    ClassCodecs codecs = new ClassCodecs(histories.costs(), false);
    writer =
        new CompoundWriter(
            ServiceClass.HT_HD,
            BODY,
            BODY,
            CompoundWriter.Grouping.REMOTE_HOST,
            codecs,
            new BlockCompressor(memory, histories, null, false),
            memory,
            new ControlQueue(),
            this::closed);
    encoder = new PacketEncoder(BODY, memory, this::closed);
    encode();
  }

  private void closed(Compound compound, long nowNs) {
    body = compound.bytes();
    bodyBytes = compound.bodyBytes();
    for (int i = 0; i < compound.entries(); i++) {
      flow.queued(-compound.packets(i));
    }
    memory.giveBack(compound);
  }

  @Benchmark
  public int encode() {
    for (int i = bytes == 100 ? 16 : 1; i > 0; i--) {
      key.parse(packet);
      encoder.encode(packet, key, flow, writer, 1, 0, 1);
    }
    if (!writer.isEmpty()) {
      writer.close(1);
    }
    return bodyBytes;
  }

  @Benchmark
  public int decode() {
    records.count = 0;
    reader.read(body, Record.STAMP_BLOCK_BYTES, bodyBytes, arrival, null, records);
    return records.count;
  }

  /// Counts records and reads none of their bytes.
  private static final class RecordCount implements RecordSink {
    private int count;

    @Override
    public void stamp(Arrival arrival, int timeUs) {}

    @Override
    public void whole(
        Arrival arrival,
        int id,
        int generation,
        boolean install,
        int app,
        byte[] b,
        int at,
        int length,
        int r) {
      count++;
    }

    @Override
    public void elided(
        Arrival arrival,
        int kind,
        int id,
        int ecn,
        int generation,
        int number,
        byte[] b,
        int at,
        int length,
        int r) {
      count++;
    }

    @Override
    public void tcp(
        Arrival arrival,
        int id,
        int ecn,
        int generation,
        TcpFields f,
        byte[] b,
        int at,
        int length,
        int r) {
      count++;
    }

    @Override
    public ControlSink controls() {
      return ControlSink.SILENT;
    }

    @Override
    public void control(int recordBytes) {}
  }
}
