package io.viaduct.tunnel.scheduling;

import io.viaduct.tunnel.compound.Compound;
import io.viaduct.tunnel.compound.CompoundFixture;
import io.viaduct.tunnel.flow.FlowFixture;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/// A line of a fixed rate behind the queues of a path, with flows that offer packets at rates of
/// their own. Time is simulated.
final class FullLine {
  /// A flow.
  ///
  /// @param bytesPerSecond offered rate
  /// @param packetBytes bytes of each packet
  record Source(ServiceClass of, double bytesPerSecond, int packetBytes) {}

  private static final int BOUND = 1 << 16;

  private final double bytesPerSecond;
  private final List<Source> sources;
  private final List<FlowState> flows = new ArrayList<>();
  private final ClassQueues queues;
  private final long[] carried;
  private final Random random = new Random(1);
  private double longestWaitNs;
  private long nowNs;

  FullLine(double bytesPerSecond, ServiceOrder order, List<Source> sources) {
    this.bytesPerSecond = bytesPerSecond;
    this.sources = sources;
    this.queues = new ClassQueues(new int[] {BOUND, BOUND, BOUND, BOUND}, order);
    this.carried = new long[sources.size()];
    for (int i = 0; i < sources.size(); i++) {
      flows.add(FlowFixture.of(i + 1));
    }
  }

  /// Runs the line. @return bytes per second that arrived of each flow
  double[] run(double seconds, ServiceClass watched) {
    long fromNs = nowNs;
    long untilNs = nowNs + (long) (seconds * 1e9);
    Arrays.fill(carried, 0);
    longestWaitNs = 0;
    while (nowNs < untilNs) {
      Compound next = queues.peek();
      if (next == null) {
        offer(100_000);
        continue;
      }
      if (next.serviceClass() == watched) {
        longestWaitNs = Math.max(longestWaitNs, nowNs - next.queuedNs());
      }
      queues.take(next, nowNs);
      carried[flows.indexOf(next.flow(0))] += next.bodyBytes();
      offer((long) (next.bodyBytes() / bytesPerSecond * 1e9));
    }
    double took = (nowNs - fromNs) / 1e9;
    return Arrays.stream(carried).mapToDouble(bytes -> bytes / took).toArray();
  }

  /// Returns the longest wait of a packet of the watched class in the last run, in ms.
  double longestWaitMs() {
    return longestWaitNs / 1e6;
  }

  // Lets time pass. Packets beyond the queues' bound are lost. Arrivals are random, so that no flow
  // always finds the room in the queue first.
  private void offer(long passedNs) {
    nowNs += passedNs;
    List<Integer> arrivals = new ArrayList<>();
    for (int i = 0; i < sources.size(); i++) {
      Source source = sources.get(i);
      double packets = source.bytesPerSecond() * passedNs / 1e9 / source.packetBytes();
      for (double left = packets; random.nextDouble() < left; left--) {
        arrivals.add(i);
      }
    }
    Collections.shuffle(arrivals, random);
    for (int i : arrivals) {
      Source source = sources.get(i);
      if (queues.hasRoom(source.of(), source.packetBytes())) {
        queues.add(CompoundFixture.of(source.of(), flows.get(i), source.packetBytes()), nowNs);
      }
    }
  }
}
