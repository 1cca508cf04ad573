package io.viaduct.testbed.bench;

import static io.viaduct.testbed.bench.HandoverGoal.of;

import io.viaduct.testbed.libc.PreciseThread;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/// The flood echo of Fig. 12 in the WiOptiMo paper: 60 s of packets of 84 bytes, each sent as soon
/// as the one before has returned or after 10 ms, as ping(8) with `-f` does. The return of an
/// earlier packet sends none, or the packets under way would become more with each round trip. The
/// switch below takes 1.20 s: link A goes after 30 s, and link B comes 1.20 s later.
final class FloodEvent implements HandoverEvent {
  private static final int PORT = 7001; // of the far end that returns every packet
  private static final int PAYLOAD = 84 - 28; // without the headers of UDP and IP
  private static final int REPEAT_MS = 10;
  private static final int PACKETS_MAX = 100_000;
  private static final long STEADY_NS = 2_000_000_000;
  private static final long SWITCH_NS = 1_200_000_000;
  private static final long BEFORE_NS = 30_000_000_000L;
  private static final long LASTS_NS = 60_000_000_000L;
  private static final long PATIENCE_NS = 15_000_000_000L;
  private static final double OUTAGE_MS_MAX = 1_250;

  private record Echoes(long[] returnedNs, int count) {
    PacketSeries series() {
      return new PacketSeries(new long[0], new int[count], Arrays.copyOf(returnedNs, count));
    }
  }

  @Override
  public String name() {
    return "flood";
  }

  @Override
  public String title() {
    return "flood echo of 84 bytes, switch of 1.20 s below";
  }

  @Override
  public List<HandoverGoal> goals() {
    return List.of(
        of(Reading.FLOOD_OUTAGE, Statistic.P50, OUTAGE_MS_MAX),
        of(Reading.FLOOD_OUTAGE, Statistic.WORST, OUTAGE_MS_MAX));
  }

  @Override
  public Map<Reading, Double> run(MovingRig rig, long seed) throws Exception {
    rig.onlyBy("A");
    var going = new AtomicBoolean(true);
    var arrivals = new Arrivals();
    CompletableFuture<Echoes> echoes =
        rig.network().device().start("flood", () -> flood(rig, going, arrivals));
    try {
      long beganNs = rig.nowNs();
      rig.until(beganNs + BEFORE_NS);
      long eventNs = rig.nowNs();
      arrivals.watch(eventNs);
      rig.links().lose("A");
      rig.until(eventNs + SWITCH_NS);
      rig.links().restore("B");
      rig.becomes(() -> arrivals.isFlowingAgain(rig.nowNs()), PATIENCE_NS);
      rig.until(beganNs + LASTS_NS);
      long untilNs = rig.nowNs();
      going.set(false);
      long outageNs = echoes.join().series().outageNs(eventNs - STEADY_NS, eventNs, untilNs);
      return Map.of(Reading.FLOOD_OUTAGE, outageNs / 1e6);
    } finally {
      going.set(false);
      rig.links().restore("A");
    }
  }

  private static Echoes flood(MovingRig rig, AtomicBoolean going, Arrivals arrivals)
      throws IOException {
    PreciseThread.become();
    var returnedNs = new long[PACKETS_MAX];
    int count = 0;
    var to = new InetSocketAddress(rig.peer().target(), PORT);
    ByteBuffer payload = ByteBuffer.allocate(PAYLOAD);
    var in = new DatagramPacket(new byte[PAYLOAD], PAYLOAD);
    try (var socket = new DatagramSocket()) {
      for (int sent = 0; going.get() && count < PACKETS_MAX; sent++) {
        try {
          socket.send(new DatagramPacket(payload.putInt(0, sent).array(), PAYLOAD, to));
          long nextNs = rig.nowNs() + REPEAT_MS * 1_000_000L;
          boolean isLatest = false;
          while (!isLatest && count < PACKETS_MAX && rig.nowNs() < nextNs) {
            socket.setSoTimeout((int) Math.max(1, (nextNs - rig.nowNs()) / 1_000_000));
            socket.receive(in);
            returnedNs[count++] = rig.nowNs();
            arrivals.onPacket(rig.nowNs());
            isLatest = ByteBuffer.wrap(in.getData()).getInt() == sent;
          }
        } catch (IOException e) {
          // No answer in 10 ms, or no route: the next packet follows.
          rig.pause(e instanceof SocketTimeoutException ? 0 : REPEAT_MS * 1_000_000L);
        }
      }
    }
    return new Echoes(returnedNs, count);
  }
}
