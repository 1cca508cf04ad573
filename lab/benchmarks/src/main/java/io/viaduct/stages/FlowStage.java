package io.viaduct.stages;

import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.flow.FlowTimeouts;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.session.SpeedCheck;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ReplayWindow;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/// Measures the lookup of a packet's flow and the replay check of a datagram.
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls set up before anything else
public class FlowStage {
  private static final int IP = 12;
  private static final long HOUR_NS = 3_600_000_000_000L;

  @Param({"1", "1000", "30000"})
  public int flows;

  private final FlowKey key = new FlowKey();
  private final ReplayWindow window = new ReplayWindow();
  private FlowTable table;
  private IpPacket[] packets;
  private int next;
  private long sequence;

  @Setup
  public void openFlows() {
    FlowTimeouts hourTimeouts = new FlowTimeouts(HOUR_NS, HOUR_NS, HOUR_NS);
    table = new FlowTable(true, 65_536, hourTimeouts, FlowListener.SILENT, new VerdictCounters());
    packets = new IpPacket[flows];
    for (int i = 0; i < flows; i++) {
      Endpoints to = Endpoints.ipv4(1024 + i % 60_000, i % 250, 443);
      byte[] packet = PacketForge.udp(to, new byte[64]);
      packets[i] = new IpPacket().set(SpeedCheck.buffer(packet), IP, packet.length);
      key.parse(packets[i]);
      table.lookup(key);
    }
  }

  @Benchmark
  public @Nullable FlowState lookup() {
    next = next + 1 == flows ? 0 : next + 1;
    key.parse(packets[next]);
    return table.lookup(key);
  }

  @Benchmark
  public boolean parse() {
    return key.parse(packets[0]);
  }

  @Benchmark
  public Verdict replayWindow() {
    Verdict verdict = window.check(++sequence);
    window.mark(sequence);
    return verdict;
  }
}
