package io.viaduct.tunnel.restore;

import io.netty.buffer.PooledByteBufAllocator;
import io.viaduct.tunnel.compound.TcpRecord;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.flow.FlowTimeouts;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.session.SpeedCheck;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.VerdictCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/// Measures the coalescing of 47 segments into one superpacket; the results are per segment.
@State(Scope.Thread)
public class CoalesceStage {
  private static final int SEGMENTS = 47;
  private static final int SEGMENT = 1380;
  private static final long HOUR_NS = 3_600_000_000_000L;

  private final SegmentCoalescer coalescer = new SegmentCoalescer(PooledByteBufAllocator.DEFAULT);
  private final byte[] payload = new byte[SEGMENT];
  private final TcpRecord record = new TcpRecord();
  private final FlowState flow;
  private final long context;
  private int sequence;
  private long restored;
  private final InnerPacketSink sink = (of, packet) -> restored += packet.length();

  public CoalesceStage() {
    FlowTimeouts hourTimeouts = new FlowTimeouts(HOUR_NS, HOUR_NS, HOUR_NS);
    FlowTable flows =
        new FlowTable(true, 16, hourTimeouts, FlowListener.SILENT, new VerdictCounters());
    byte[] packet = PacketForge.tcp(Endpoints.ipv4(5000, 7, 80), 1, PacketForge.ACK, new byte[100]);
    FlowKey key = new FlowKey();
    key.parse(new IpPacket().set(SpeedCheck.buffer(packet), 12, packet.length));
    context = key.header();
    FlowState found = flows.lookup(key, 0);
    if (found == null) {
      throw new IllegalStateException("the forged packet must have a flow");
    }
    flow = found;
  }

  @Benchmark
  @OperationsPerInvocation(SEGMENTS)
  public long coalesce() {
    for (int i = 0; i < SEGMENTS; i++) {
      sequence += SEGMENT;
      coalescer.add(sink, flow, context, 0, record.at(sequence), payload, 0, SEGMENT, true);
    }
    coalescer.flushAll();
    return restored;
  }
}
