package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBufAllocator;
import java.util.random.RandomGenerator;

/// What the sessions of one event loop share: byte arrays, cipher contexts, compressor, buffers of
/// restored packets. Belongs to that loop; a session of another loop must not use it.
public final class LoopMemory implements AutoCloseable {
  final ByteBufAllocator allocator;
  final RandomGenerator random;

  /// @param allocator makes the bursts that go to the socket; pooled and direct in production
  /// @param random draws path challenges: a SecureRandom in production
  public LoopMemory(ByteBufAllocator allocator, RandomGenerator random) {
    this.allocator = allocator;
    this.random = random;
  }

  /// Gives the buffers back; no session may use it afterwards.
  @Override
  public void close() {}
}
