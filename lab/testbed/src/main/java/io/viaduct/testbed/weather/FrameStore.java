package io.viaduct.testbed.weather;

import java.lang.foreign.Arena;

/// Memory for the frames under way. It grows by whole blocks up to its limit, so that a quiet link
/// needs little memory and a warm one allocates nothing.
final class FrameStore implements AutoCloseable {
  static final int SLOT_BYTES = 2048;

  /// 1 Gbit/s of full frames for 500 ms.
  static final int SLOTS = 1 << 15;

  private static final int BLOCK_SLOTS = 512;

  private final Arena arena = Arena.ofShared();
  private final long[] blocks = new long[SLOTS / BLOCK_SLOTS];

  private final long spare = arena.allocate(SLOT_BYTES, 64).address();

  /// Returns the address of a slot for a frame that will be dropped.
  long spare() {
    return spare;
  }

  long address(int slot) {
    int block = slot / BLOCK_SLOTS;
    if (blocks[block] == 0) {
      blocks[block] = arena.allocate((long) BLOCK_SLOTS * SLOT_BYTES, 64).address();
    }
    return blocks[block] + (long) (slot % BLOCK_SLOTS) * SLOT_BYTES;
  }

  @Override
  public void close() {
    arena.close();
  }
}
