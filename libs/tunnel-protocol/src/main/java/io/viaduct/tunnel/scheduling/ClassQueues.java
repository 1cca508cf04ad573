package io.viaduct.tunnel.scheduling;

import io.viaduct.tunnel.compound.Compound;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Holds four queues of closed compounds, each bounded in bytes, with strict priority and a floor.
///
/// While a class waits, it earns a share of the bytes that higher classes send. It is served when
/// it has earned the length of its first compound (deficit counters, Shreedhar and Varghese,
/// "Efficient Fair Queuing using Deficit Round Robin", 1995).
public final class ClassQueues {
  private final int[] bytesMax;
  private final int floorPercent;
  private final @Nullable Compound[] head = new Compound[ServiceClass.COUNT];
  private final @Nullable Compound[] tail = new Compound[ServiceClass.COUNT];
  private final int[] bytes = new int[ServiceClass.COUNT];
  private final long[] earned = new long[ServiceClass.COUNT];

  /// Creates empty queues.
  ///
  /// @param bytesMax bound per class, in priority order
  /// @param floorPercent share that a waiting class earns of the bytes of higher classes
  public ClassQueues(int[] bytesMax, int floorPercent) {
    this.bytesMax = bytesMax.clone();
    this.floorPercent = floorPercent;
  }

  public boolean isEmpty() {
    return (bytes[0] | bytes[1] | bytes[2] | bytes[3]) == 0;
  }

  /// Returns whether the class has room for a packet of this length. Asked before the packet is
  /// encoded.
  public boolean hasRoom(ServiceClass serviceClass, int packetBytes) {
    int c = serviceClass.ordinal();
    return bytes[c] + packetBytes <= bytesMax[c];
  }

  /// Returns the waiting time of the class's first compound, 0 if there is none.
  public long waitNs(ServiceClass serviceClass, long nowNs) {
    return waitNs(serviceClass.ordinal(), nowNs);
  }

  private long waitNs(int c, long nowNs) {
    Compound first = head[c];
    return first == null ? 0 : nowNs - first.queuedNs();
  }

  /// Returns the share of the sent bytes that the class can rely on: all of them, or its floor
  /// while a higher class has a standing queue.
  ///
  /// @param standingNs a queue is standing if its first compound has waited longer than this
  /// @param nowNs current time, by the clock that [#add] was given
  /// @return above 0, up to 1
  public double share(ServiceClass serviceClass, long standingNs, long nowNs) {
    for (int c = 0; c < serviceClass.ordinal(); c++) {
      if (waitNs(c, nowNs) > standingNs) {
        return floorPercent / 100.0;
      }
    }
    return 1;
  }

  public int bytes(ServiceClass serviceClass) {
    return bytes[serviceClass.ordinal()];
  }

  public void add(Compound compound, long nowNs) {
    compound.queuedNs(nowNs);
    int c = compound.serviceClass().ordinal();
    Compound last = tail[c];
    if (last == null) {
      head[c] = compound;
    } else {
      last.next(compound);
    }
    tail[c] = compound;
    bytes[c] += compound.bodyBytes();
  }

  /// Returns the compound to send next. Changes nothing.
  public @Nullable Compound peek() {
    int first = -1;
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      Compound candidate = head[c];
      if (candidate == null) {
        continue;
      }
      if (first < 0) {
        first = c;
      } else if (earned[c] >= 100L * candidate.bodyBytes()) {
        return candidate;
      }
    }
    return first < 0 ? null : head[first];
  }

  /// Removes the compound that [#peek] has returned.
  public void take(Compound compound) {
    int c = compound.serviceClass().ordinal();
    Compound following = compound.next();
    head[c] = following;
    if (following == null) {
      tail[c] = null;
    }
    compound.next(null);
    int length = compound.bodyBytes();
    bytes[c] -= length;
    earned[c] = following == null ? 0 : Math.max(0, earned[c] - 100L * length);
    for (int lower = c + 1; lower < ServiceClass.COUNT; lower++) {
      if (head[lower] != null) {
        earned[lower] += (long) floorPercent * length;
      }
    }
  }

  /// Shows each queued compound to the consumer, which leaves its length as it is.
  public void forEach(Consumer<Compound> to) {
    for (Compound first : head) {
      for (Compound each = first; each != null; each = each.next()) {
        to.accept(each);
      }
    }
  }

  /// Empties the queues into the consumer.
  public void clear(Consumer<Compound> to) {
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      Compound compound = head[c];
      while (compound != null) {
        Compound following = compound.next();
        compound.next(null);
        to.accept(compound);
        compound = following;
      }
      head[c] = null;
      tail[c] = null;
      bytes[c] = 0;
    }
  }
}
