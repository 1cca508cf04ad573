package io.viaduct.tunnel.scheduling;

import io.viaduct.tunnel.compound.Compound;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Four queues of closed compounds, each bounded in bytes. Strict priority, with a floor: while a
/// class waits, it earns a share of the bytes that higher classes send, and is served when it has
/// earned its head's length (deficit counters, Shreedhar and Varghese, "Efficient Fair Queuing
/// using Deficit Round Robin", 1995).
public final class ClassQueues {
  private final int[] bytesMax;
  private final int floorPercent;
  private final @Nullable Compound[] head = new Compound[ServiceClass.COUNT];
  private final @Nullable Compound[] tail = new Compound[ServiceClass.COUNT];
  private final int[] bytes = new int[ServiceClass.COUNT];
  private final long[] earned = new long[ServiceClass.COUNT];

  /// @param bytesMax bound per class, in priority order
  public ClassQueues(int[] bytesMax, int floorPercent) {
    this.bytesMax = bytesMax.clone();
    this.floorPercent = floorPercent;
  }

  public boolean isEmpty() {
    return (bytes[0] | bytes[1] | bytes[2] | bytes[3]) == 0;
  }

  /// Whether the class has room for a packet of this length; asked before it is encoded.
  public boolean hasRoom(ServiceClass serviceClass, int packetBytes) {
    int c = serviceClass.ordinal();
    return bytes[c] + packetBytes <= bytesMax[c];
  }

  /// How long the first of the class has waited, 0 if there is none.
  public long waitNs(ServiceClass serviceClass, long nowNs) {
    return waitNs(serviceClass.ordinal(), nowNs);
  }

  private long waitNs(int c, long nowNs) {
    Compound first = head[c];
    return first == null ? 0 : nowNs - first.queuedNs();
  }

  /// The share of what leaves that the class can count on: all of it, or its floor while a class
  /// above it stands.
  ///
  /// @param standsNs a class stands whose first has waited for longer than this
  /// @param nowNs the instant, of the clock that [#add] was given
  /// @return above 0, up to 1
  public double share(ServiceClass serviceClass, long standsNs, long nowNs) {
    for (int c = 0; c < serviceClass.ordinal(); c++) {
      if (waitNs(c, nowNs) > standsNs) {
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

  /// The compound whose turn it is; changes nothing.
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

  /// Takes the compound that [#peek] has shown.
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

  /// Empties the queues.
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
