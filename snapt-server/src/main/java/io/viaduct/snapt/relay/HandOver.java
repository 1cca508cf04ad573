package io.viaduct.snapt.relay;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A bounded queue of packets that other event loops have read for sessions of this loop. The
/// kernel selects a TUN queue by the flow, not by the session. The offering loop drops and counts a
/// packet that does not fit. Any thread may offer; only the owner takes.
final class HandOver {
  // 1024 packets are a few milliseconds of work for a busy loop. A loop that falls further behind
  // is overloaded.
  private static final int ITEMS_MAX = 1024;

  private final ArrayBlockingQueue<Item> items = new ArrayBlockingQueue<>(ITEMS_MAX);
  private final AtomicBoolean announced = new AtomicBoolean();

  /// A copy of a packet from TUN (`from` is null, the virtio-net header comes first) or of a
  /// datagram.
  record Item(ByteBuf bytes, @Nullable InetSocketAddress from) {}

  /// @return false if the queue is full; the caller then still owns the bytes
  boolean offer(Item item) {
    return items.offer(item);
  }

  /// Returns true if the caller must wake the owner. Only one caller gets true until the owner
  /// begins to take.
  boolean announce() {
    return announced.compareAndSet(false, true);
  }

  /// Allows the next announcement. The owner calls this before it takes items.
  void taking() {
    announced.set(false);
  }

  @Nullable Item poll() {
    return items.poll();
  }
}
