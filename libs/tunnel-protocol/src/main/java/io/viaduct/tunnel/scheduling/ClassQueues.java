package io.viaduct.tunnel.scheduling;

import io.viaduct.tunnel.compound.Compound;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Holds four queues of closed compounds, each bounded in bytes. A [ServiceOrder] decides which one
/// is served.
public final class ClassQueues {
  private final int[] bytesMax;
  private final ServiceOrder order;
  private final @Nullable Compound[] head = new Compound[ServiceClass.COUNT];
  private final @Nullable Compound[] tail = new Compound[ServiceClass.COUNT];
  private final int[] bytes = new int[ServiceClass.COUNT];

  /// Creates empty queues.
  ///
  /// @param bytesMax bound per class, in priority order
  public ClassQueues(int[] bytesMax, ServiceOrder order) {
    this.bytesMax = bytesMax.clone();
    this.order = order;
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

  long waitNs(int c, long nowNs) {
    Compound first = head[c];
    return first == null ? 0 : nowNs - first.queuedNs();
  }

  /// Returns whether a compound of the class waits.
  boolean waits(int c) {
    return head[c] != null;
  }

  /// Returns the length of the class's first compound, 0 if there is none.
  int firstBytes(int c) {
    Compound first = head[c];
    return first == null ? 0 : first.bodyBytes();
  }

  /// Returns the share of the sent bytes that the class can rely on, see [ServiceOrder#share].
  ///
  /// @param nowNs current time, by the clock that [#add] was given
  public double share(ServiceClass serviceClass, long standingNs, long nowNs) {
    return order.share(serviceClass, this, standingNs, nowNs);
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
    order.added(compound, nowNs);
  }

  /// Returns the compound to send next. Changes nothing.
  public @Nullable Compound peek() {
    int c = order.next(this);
    return c < 0 ? null : head[c];
  }

  /// Removes the compound that [#peek] has returned.
  public void take(Compound compound, long nowNs) {
    int c = compound.serviceClass().ordinal();
    Compound following = compound.next();
    head[c] = following;
    if (following == null) {
      tail[c] = null;
    }
    compound.next(null);
    int length = compound.bodyBytes();
    bytes[c] -= length;
    order.taken(c, length, this, nowNs);
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
