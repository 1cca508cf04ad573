package io.viaduct.cnapt.receipts;

import java.nio.ByteBuffer;

/// The device's own counts of one session, in a file that is mapped into memory: they survive the
/// death of the process at any moment. The data path's event loop writes them after each batch, the
/// control loop reads them and may lag by a batch.
public final class SessionCounts {
  static final int BYTES = 5 * Long.BYTES;
  private static final int UP = 0;
  private static final int DOWN = 8;
  private static final int LOST = 16;
  private static final int RECENT_UP = 24;
  private static final int RECENT_DOWN = 32;

  private final ByteBuffer memory;

  /// @param memory 40 bytes
  SessionCounts(ByteBuffer memory) {
    this.memory = memory;
  }

  /// Counts in memory only.
  public static SessionCounts inMemory() {
    return new SessionCounts(ByteBuffer.allocate(BYTES));
  }

  /// Takes the counts as they are now; inner IP bytes since the session began.
  ///
  /// @param lost bytes that the SNAPT sent and that did not arrive, an estimate
  /// @param recentUp of `up`, those of the last seconds
  /// @param recentDown of `down`, those of the last seconds
  public void note(long up, long down, long lost, long recentUp, long recentDown) {
    memory.putLong(UP, up);
    memory.putLong(DOWN, down);
    memory.putLong(LOST, lost);
    memory.putLong(RECENT_UP, recentUp);
    memory.putLong(RECENT_DOWN, recentDown);
  }

  /// Inner IP bytes that were sent.
  public long up() {
    return memory.getLong(UP);
  }

  /// Inner IP bytes that were received.
  public long down() {
    return memory.getLong(DOWN);
  }

  /// Inner IP bytes that the SNAPT sent and that did not arrive, an estimate.
  public long lost() {
    return memory.getLong(LOST);
  }

  /// Of [#up], the bytes of the last seconds.
  public long recentUp() {
    return memory.getLong(RECENT_UP);
  }

  /// Of [#down], the bytes of the last seconds.
  public long recentDown() {
    return memory.getLong(RECENT_DOWN);
  }
}
