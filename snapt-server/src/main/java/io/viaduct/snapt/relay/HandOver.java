package io.viaduct.snapt.relay;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// What other event loops read that belongs to a session of this one: the kernel chooses a TUN
/// queue by the flow and not by the session. Bounded; what does not fit is dropped and counted by
/// who offered it. Any thread offers, the owner takes.
final class HandOver {
  // 1024 packets: a few milliseconds of a busy loop. A loop that is later than that is overloaded.
  private static final int ITEMS_MAX = 1024;

  private final ArrayBlockingQueue<Item> items = new ArrayBlockingQueue<>(ITEMS_MAX);
  private final AtomicBoolean announced = new AtomicBoolean();

  /// A copy of a packet from TUN (`from` is null, the virtio-net header comes first) or of a
  /// datagram.
  record Item(ByteBuf bytes, @Nullable InetSocketAddress from) {}

  /// @return false if the queue is full: the bytes stay the caller's
  boolean offer(Item item) {
    return items.offer(item);
  }

  /// Whether the owner must be woken; true for one caller until the owner begins to take.
  boolean announce() {
    return announced.compareAndSet(false, true);
  }

  /// Called by the owner before it takes.
  void taking() {
    announced.set(false);
  }

  @Nullable Item poll() {
    return items.poll();
  }
}
