package io.viaduct.stages;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.session.PacketForge;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.session.SpeedCheck;
import io.viaduct.tunnel.wire.ServiceClass;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/// Measures text through both ends that is slow enough for shared histories: eight packets of 1400
/// bytes every ten milliseconds, 9 Mbit/s. No packet repeats while it is remembered. Both ends make
/// dictionaries, at most ten a second.
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls set up before anything else
public class HistoryStage {
  private static final long PACE_NS = 10_000_000;
  private static final int BATCH = 8;
  private static final int PACKETS = 512;
  private static final int BYTES = 1400;

  /// Bursts until the histories are full and every table has its final size.
  private static final int WARM_UP = 1_000;

  private final ByteBuf[] packets = new ByteBuf[PACKETS];
  private SpeedCheck ends;
  private int next;

  @Setup
  public void open() {
    ends = new SpeedCheck(ServiceClass.HT_HD, WarmCiphers::fastest);
    ends.pace(PACE_NS);
    WordText words = new WordText(3);
    for (int i = 0; i < PACKETS; i++) {
      byte[] made = PacketForge.udp(Endpoints.ipv4(5002, 7, 4000), words.next(BYTES - 28));
      packets[i] = SpeedCheck.buffer(PacketForge.checksum(made, 1));
    }
    for (int i = 0; i < WARM_UP; i++) {
      throughBothEnds();
    }
    if (ends.saved() < 0.5) {
      throw new IllegalStateException("no histories: %.3f saved".formatted(ends.saved()));
    }
  }

  @TearDown
  public void close() {
    ends.close();
  }

  @Benchmark
  public void throughBothEnds() {
    for (int i = 0; i < BATCH; i++) {
      ends.offer(packets[next++ % PACKETS], BYTES, 0);
    }
    ends.end();
  }
}
