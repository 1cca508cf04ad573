package io.viaduct.tunnel.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.viaduct.tunnel.flow.FlowFixture;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.Arrival;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.LinkName;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/// Numbered packets of one flow, by paths of different delay, jitter and loss, beside a slow
/// oracle: the set of those that have arrived and are not delivered.
class ResequencerProperties {
  private static final int PACKETS = 600;
  private static final long BEGUN_NS = 600_000_000;
  private static final FlowState FLOW = FlowFixture.of(1, IpFields.UDP);
  private static final InnerPacketSink SINK = (flow, packet) -> {};

  /// A packet on its way.
  ///
  /// @param index its place among the packets of the flow, which does not wrap
  private record Flight(int index, int path, long atNs) {}

  /// A receiver, and what it has done.
  private static final class Run {
    private final VerdictCounters verdicts = new VerdictCounters();
    private final Resequencer resequencer =
        new Resequencer(UnpooledByteBufAllocator.DEFAULT, verdicts);
    private final Arrival arrival = new Arrival();
    private final TreeMap<Integer, Long> waiting = new TreeMap<>();
    private final List<Integer> delivered = new ArrayList<>();
    private final long seed;
    private int firstNumber;
    private long nowNs;
    private int waited;
    private int mostWaiting;

    Run(long ofSeed, int first) {
      seed = ofSeed;
      firstNumber = first;
      resequencer.announced(FLOW, 0);
    }

    private PacketOrder order() {
      PacketOrder order = resequencer.orderOf(FLOW);
      assertThat(order).isNotNull();
      return order;
    }

    private void arrives(Flight flight, int length) {
      tickUntil(flight.atNs);
      nowNs = Math.max(nowNs, flight.atNs);
      resequencer.announced(FLOW, nowNs);
      PacketOrder order = order();
      arrival.set(ServiceClass.HT_HD, flight.index, false, flight.path, LinkName.UNKNOWN, nowNs);
      waiting.put(flight.index, nowNs);
      boolean held =
          resequencer.holdsNumbered(
              order,
              arrival,
              SINK,
              0,
              0,
              firstNumber + flight.index & 0xFFFFFF,
              new byte[length],
              0,
              length,
              this::deliver);
      if (held) {
        waited++;
        mostWaiting = Math.max(mostWaiting, waiting.size());
      } else {
        delivered(flight.index);
        resequencer.release(order, this::deliver, nowNs);
      }
    }

    private void tickUntil(long ns) {
      for (long due = resequencer.dueNs(); due <= ns; due = resequencer.dueNs()) {
        nowNs = Math.max(nowNs, due);
        resequencer.tick(this::deliver, nowNs);
      }
    }

    private void deliver(FlowState flow, HeldPacket packet) {
      assertThat(flow).isSameAs(FLOW);
      int number = packet.sequence >>> 8;
      int near = delivered.isEmpty() ? 0 : delivered.getLast();
      delivered(near + ((number - firstNumber - near) << 8 >> 8));
    }

    private void delivered(int index) {
      Long arrivedNs = waiting.get(index);
      assertThat(arrivedNs).as("packet %d has arrived, once, seed %d", index, seed).isNotNull();
      assertThat(nowNs - arrivedNs)
          .as("wait of packet %d, seed %d", index, seed)
          .isLessThanOrEqualTo(Resequencer.WAIT_NS_MAX);
      assertThat(waiting.firstKey())
          .as("the first one that waits goes first, seed %d", seed)
          .isEqualTo(index);
      waiting.remove(index);
      delivered.add(index);
    }
  }

  private static int someNumber(SplittableRandom random) {
    int nearTheEnd = 0x1000000 - random.nextInt(2 * PACKETS);
    return random.nextBoolean() ? nearTheEnd : random.nextInt(0x1000000);
  }

  private static List<Flight> flights(
      SplittableRandom random, long delayNsMost, long jitterNs, double lossRatio) {
    long[] delaysNs = random.longs(random.nextInt(1, 5), 0, delayNsMost).toArray();
    List<Flight> flights = new ArrayList<>();
    long sentNs = 1;
    for (int i = 0; i < PACKETS; i++) {
      int path = random.nextInt(delaysNs.length);
      long jitter = jitterNs == 0 ? 0 : random.nextLong(jitterNs);
      if (random.nextDouble() >= lossRatio) {
        flights.add(new Flight(i, path, sentNs + delaysNs[path] + jitter));
      }
      sentNs += random.nextLong(5_000_000);
    }
    flights.sort(Comparator.comparingLong(Flight::atNs));
    return flights;
  }

  @Property(tries = 300)
  void eachPacketIsDeliveredOnceInOrderOfThoseThatWaitAndNoneWaitsTooLong(@ForAll long ofSeed) {
    SplittableRandom random = new SplittableRandom(ofSeed);
    Run run = new Run(ofSeed, someNumber(random));
    double loss = random.nextInt(3) == 0 ? 0 : random.nextDouble(0.3);
    long jitterNs = random.nextInt(3) == 0 ? 0 : random.nextLong(1, 400_000_000);
    List<Flight> flights = flights(random, 400_000_000, jitterNs, loss);
    flights.forEach(flight -> run.arrives(flight, random.nextInt(1_400)));
    run.tickUntil(run.nowNs + Resequencer.WAIT_NS_MAX);
    assertThat(run.waiting).as("seed %d", ofSeed).isEmpty();
    assertThat(run.delivered)
        .as("seed %d", ofSeed)
        .containsExactlyInAnyOrderElementsOf(flights.stream().map(Flight::index).toList());
    assertThat(run.verdicts.of(Verdict.RESEQUENCED)).as("seed %d", ofSeed).isEqualTo(run.waited);
  }

  @Property(tries = 300)
  void pathsThatDifferByLessThanTheBoundAreInOrder(@ForAll long ofSeed) {
    SplittableRandom random = new SplittableRandom(ofSeed);
    Run run = new Run(ofSeed, someNumber(random));
    List<Flight> flights = flights(random, Resequencer.HOLD_NS, 0, 0);
    int begun = 0; // a path that has brought nothing yet is not run.waited for
    for (Flight flight : flights) {
      run.arrives(flight, 1_000);
      begun = flight.atNs < BEGUN_NS ? run.delivered.size() : begun;
    }
    run.tickUntil(run.nowNs + Resequencer.WAIT_NS_MAX);
    assertThat(run.delivered.subList(begun, run.delivered.size())).as("seed %d", ofSeed).isSorted();
    assertThat(run.delivered).as("seed %d", ofSeed).hasSize(PACKETS);
  }

  @Example
  void packetsWithoutPayloadFillTheBoundToo() {
    Run run = new Run(0, 0);
    run.arrives(new Flight(0, 0, 1), 0);
    for (int i = 2; i < 20_000; i++) {
      run.arrives(new Flight(i, 0, 2), 0);
    }
    assertThat(run.mostWaiting)
        .isLessThanOrEqualTo(Resequencer.BYTES_MAX / HeldPacket.OVERHEAD + 1);
    run.tickUntil(run.nowNs + Resequencer.WAIT_NS_MAX);
    assertThat(run.delivered).hasSize(19_999).isSorted();
  }

  @Example
  void aPacketThatFillsTheGapGoesFirstThoughTheBoundIsReached() {
    Run run = new Run(0, 0);
    run.arrives(new Flight(0, 0, 1), 0);
    int most = Resequencer.BYTES_MAX / HeldPacket.OVERHEAD;
    for (int i = 0; i < most; i++) {
      run.arrives(new Flight(3 + i, 0, 2), 0);
    }
    run.arrives(new Flight(2, 1, 3), 0); // too many wait now, and the first of them is this one
    run.arrives(new Flight(1, 1, 4), 0); // late
    assertThat(run.delivered).startsWith(0, 2, 3, 4).endsWith(1).hasSize(most + 3);
  }

  @Example
  void theGraceShrinksAgainWhenWhatIsMissingNeverComes() {
    Run run = new Run(0, 0);
    int index = 0;
    long atNs = 1;
    run.arrives(new Flight(index++, 0, atNs), 100);
    for (int late = 0; late < 5; late++) { // the path reorders: each gap is filled 200 ms later
      run.arrives(new Flight(index + 1, 0, atNs += 1_000_000), 100);
      run.tickUntil(atNs += 200_000_000);
      run.arrives(new Flight(index, 0, atNs), 100);
      index += 2;
    }
    long slow = waitForAGap(run, index, atNs += 1_000_000);
    for (int gap = 0; gap < 30; gap++) {
      index += 2;
      long unused = waitForAGap(run, index, atNs += 300_000_000);
    }
    index += 2;
    assertThat(slow).isGreaterThan(100_000_000);
    assertThat(waitForAGap(run, index, atNs + 300_000_000)).isLessThan(15_000_000);
  }

  /// Loses one packet. @return the time for which the next one waits
  private static long waitForAGap(Run run, int index, long atNs) {
    run.arrives(new Flight(index + 1, 0, atNs), 100);
    run.tickUntil(atNs + Resequencer.WAIT_NS_MAX);
    return run.nowNs - atNs;
  }

  @Example
  void aNumberThatBeginsAnewAfterAPacketWithoutOneWaitsForNothing() {
    Run run = new Run(0, 5_000_000);
    run.arrives(new Flight(0, 0, 1), 100);
    run.arrives(new Flight(2, 0, 2), 100);
    run.resequencer.restart(run.order(), run::deliver, run.nowNs);
    assertThat(run.delivered).containsExactly(0, 2);
    run.firstNumber = 9_000_000;
    run.arrives(new Flight(3, 0, 3), 100);
    assertThat(run.delivered).containsExactly(0, 2, 3);
  }
}
