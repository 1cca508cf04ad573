package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.Goal.Bound;
import io.viaduct.testbed.traffic.Way;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// Measures the garbage of the packet path of running ends per packet, without the garbage of their
/// timers while idle. `viaduct bench stages` measures each stage alone and warm. This measure takes
/// all stages together, compiled from the profiles of a start cache.
final class AllocatedBytes implements Measure {
  /// The smallest object has 16 bytes, so a lower value means that not every packet allocates one.
  /// Short bodies are sealed outside of the heap, so none of it is the cipher's.
  private static final double PER_PACKET_MAX = 1;

  /// Bytes that the cipher of long bodies may allocate per datagram (ADR 0016, ADR 0023).
  private static final double PER_SEALED_MAX = 1024;

  private static final int FULL_PACKET = 1360;
  private static final double PACKETS_PER_SECOND = 100_000;
  private static final int REQUEST_BYTES = 100;

  private final Row idleNear = less("idle-near", "near end, idle", "kB/s");
  private final Row idleFar = less("idle-far", "far end, idle", "kB/s");
  private final List<Work> works;
  private final double seconds;
  private final LongSupplier nanoTime;

  @FunctionalInterface
  private interface Traffic {
    /// Sends traffic.
    ///
    /// @return the number of packets or requests that arrived
    double run(String target) throws IOException;
  }

  private record Work(Row near, Row far, Traffic traffic) {
    static Work of(String id, String title, Traffic traffic, Goal... goals) {
      return new Work(
          less(id + "-near", "near end, " + title, "B", goals),
          less(id + "-far", "far end, " + title, "B", goals),
          traffic);
    }
  }

  /// Prepares the measures.
  ///
  /// @param exchanges serves requests at the far end as long as the laboratory runs
  AllocatedBytes(
      BenchNetwork network,
      TcpFlow flow,
      RequestResponse exchanges,
      int seconds,
      LongSupplier nanoTime) {
    this.seconds = seconds;
    this.nanoTime = nanoTime;
    var stream = new PacketStream(network, seconds, nanoTime);
    works =
        List.of(
            Work.of(
                "packets",
                String.format(Locale.ROOT, "per packet of 100 B, %.0f/s", PACKETS_PER_SECOND),
                target -> stream.run(target, PACKETS_PER_SECOND).arrived(),
                new Bound(PER_PACKET_MAX)),
            Work.of(
                "tcp-up",
                "per %d B of TCP up".formatted(FULL_PACKET),
                target -> fullPackets(flow.run(target, Way.UP, seconds)),
                new Bound(PER_SEALED_MAX)),
            Work.of(
                "tcp-down",
                "per %d B of TCP down".formatted(FULL_PACKET),
                target -> fullPackets(flow.run(target, Way.DOWN, seconds)),
                new Bound(PER_SEALED_MAX)),
            Work.of(
                "exchange",
                "per request and response of %d B".formatted(REQUEST_BYTES),
                target -> exchanges.run(target, REQUEST_BYTES, seconds).getTotalCount()));
  }

  private static Row less(String id, String title, String unit, Goal... goals) {
    return Row.less("garbage-" + id, "allocated, " + title, unit, 2, goals);
  }

  private static double fullPackets(TcpFlow.Transferred transferred) {
    return (double) transferred.bytes() / FULL_PACKET;
  }

  @Override
  public String name() {
    return "garbage";
  }

  @Override
  public List<Row> rows() {
    var all = new ArrayList<>(List.of(idleNear, idleFar));
    works.forEach(work -> all.addAll(List.of(work.near, work.far)));
    return all;
  }

  @Override
  public void run(Peer peer, Recorder recorder) throws IOException {
    if (peer.allocated().isEmpty()) {
      return;
    }
    long beforeNs = nanoTime.getAsLong();
    Peer.Allocated idle = during(peer, () -> LockSupport.parkNanos((long) (seconds * 1e9)));
    double idleNs = nanoTime.getAsLong() - beforeNs;
    recorder.record(idleNear, idle.near() / idleNs * 1e6);
    recorder.record(idleFar, idle.far() / idleNs * 1e6);
    for (Work work : works) {
      long startNs = nanoTime.getAsLong();
      var packets = new double[1];
      Peer.Allocated busy = during(peer, () -> packets[0] = work.traffic.run(peer.target()));
      if (packets[0] == 0) {
        throw new IllegalStateException("nothing came through for '" + work.near.title() + "'");
      }
      double idleShare = (nanoTime.getAsLong() - startNs) / idleNs;
      recorder.record(work.near, (busy.near() - idle.near() * idleShare) / packets[0]);
      recorder.record(work.far, (busy.far() - idle.far() * idleShare) / packets[0]);
    }
  }

  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  private static Peer.Allocated during(Peer peer, Step step) throws IOException {
    Peer.Allocated before = peer.allocated().orElseThrow();
    step.run();
    return peer.allocated().orElseThrow().since(before);
  }
}
