package io.viaduct.tunnel.pacing;

import java.util.ArrayDeque;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/// Simulates one direction of an access link: a token bucket with a bounded FIFO in front of it,
/// then a delay with jitter. Datagrams that do not fit into the FIFO are lost.
public final class BottleneckLink<T> {
  private record Item<T>(T item, long arrivesNs) {}

  private final ArrayDeque<Item<T>> onTheWay = new ArrayDeque<>();
  private final long bufferNs;
  private double bytesPerSecond;
  private long delayNs;
  private long busyUntilNs;
  private long lost;
  private long carriedBytes;
  private long jitterNs;
  private SplittableRandom random = new SplittableRandom(0);
  private long lastArrivesNs = Long.MIN_VALUE;
  private double lossRatio;

  /// Creates a link.
  ///
  /// @param bufferNs longest time that a datagram waits, at the present rate
  public BottleneckLink(double bitPerSecond, long delayNs, long bufferNs) {
    this.bytesPerSecond = bitPerSecond / 8;
    this.delayNs = delayNs;
    this.bufferNs = bufferNs;
  }

  public void rate(double bitPerSecond) {
    bytesPerSecond = bitPerSecond / 8;
  }

  /// Lets each datagram take up to this time longer; their order stays.
  public void jitter(long ns, long seed) {
    jitterNs = ns;
    random = new SplittableRandom(seed);
  }

  /// Loses this share of the datagrams behind the queue.
  public void loss(double ratio, long seed) {
    lossRatio = ratio;
    random = new SplittableRandom(seed);
  }

  public void delay(long ns) {
    delayNs = ns;
  }

  public void send(T item, int bytes, long nowNs) {
    if (queueNs(nowNs) > bufferNs) {
      lost++;
      return;
    }
    busyUntilNs = Math.max(busyUntilNs, nowNs) + (long) (bytes * 1e9 / bytesPerSecond);
    if (lossRatio > 0 && random.nextDouble() < lossRatio) {
      lost++;
      return;
    }
    carriedBytes += bytes;
    long arrivesNs = busyUntilNs + delayNs + (jitterNs == 0 ? 0 : random.nextLong(jitterNs));
    lastArrivesNs = Math.max(lastArrivesNs, arrivesNs);
    onTheWay.add(new Item<>(item, lastArrivesNs));
  }

  /// Delivers the datagrams that have arrived by now.
  public void deliver(long nowNs, Consumer<T> to) {
    while (!onTheWay.isEmpty() && onTheWay.peek().arrivesNs - nowNs <= 0) {
      to.accept(onTheWay.remove().item);
    }
  }

  public long queueNs(long nowNs) {
    return Math.max(0, busyUntilNs - nowNs);
  }

  /// Returns the round trip without a queue, and with the jitter that full links have: of many
  /// packets that keep their order, one is always late.
  long roundTripNs() {
    return 2 * delayNs + jitterNs;
  }

  public long lost() {
    return lost;
  }

  /// Returns the bytes accepted so far, including those in the buffer.
  public long carriedBytes() {
    return carriedBytes;
  }
}
