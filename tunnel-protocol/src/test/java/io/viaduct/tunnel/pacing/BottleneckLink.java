package io.viaduct.tunnel.pacing;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/// One direction of an access line: a token bucket with a bounded FIFO in front of it, then a
/// delay. What does not fit is lost.
public final class BottleneckLink<T> {
  private record Item<T>(T what, long arrivesNs) {}

  private final ArrayDeque<Item<T>> onTheWay = new ArrayDeque<>();
  private final long bufferNs;
  private double bytesPerSecond;
  private long delayNs;
  private long busyUntilNs;
  private long lost;
  private long carriedBytes;

  /// @param bufferNs most that a datagram waits, at the rate of the moment
  public BottleneckLink(double bitPerSecond, long delayNs, long bufferNs) {
    this.bytesPerSecond = bitPerSecond / 8;
    this.delayNs = delayNs;
    this.bufferNs = bufferNs;
  }

  public void rate(double bitPerSecond) {
    bytesPerSecond = bitPerSecond / 8;
  }

  public void delay(long ns) {
    delayNs = ns;
  }

  public void send(T what, int bytes, long nowNs) {
    if (queueNs(nowNs) > bufferNs) {
      lost++;
      return;
    }
    busyUntilNs = Math.max(busyUntilNs, nowNs) + (long) (bytes * 1e9 / bytesPerSecond);
    carriedBytes += bytes;
    onTheWay.add(new Item<>(what, busyUntilNs + delayNs));
  }

  /// Hands over what has arrived by now.
  public void deliver(long nowNs, Consumer<T> to) {
    while (!onTheWay.isEmpty() && onTheWay.peek().arrivesNs - nowNs <= 0) {
      to.accept(onTheWay.remove().what);
    }
  }

  public long queueNs(long nowNs) {
    return Math.max(0, busyUntilNs - nowNs);
  }

  public long delayNs() {
    return delayNs;
  }

  public long lost() {
    return lost;
  }

  /// Bytes taken so far, those in the buffer included.
  public long carriedBytes() {
    return carriedBytes;
  }
}
