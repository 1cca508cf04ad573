package io.viaduct.cnapt.receipts;

import io.viaduct.cnapt.usage.UsageTap;
import java.nio.ByteBuffer;

/// The device's own counts of one session. They are in a memory-mapped file, so they survive the
/// end of the process at any time. The data path's event loop writes them after each batch. The
/// control loop reads them; its values may be one batch old.
public final class SessionCounts {
  static final int BYTES = 5 * Long.BYTES;
  private static final int UP = 0;
  private static final int DOWN = 8;
  private static final int RECENT_LOST = 16;
  private static final int RECENT_UP = 24;
  private static final int RECENT_DOWN = 32;

  private final ByteBuffer memory;
  private volatile UsageTap tap = UsageTap.NONE; // written by the control loop

  /// @param memory 40 bytes
  SessionCounts(ByteBuffer memory) {
    this.memory = memory;
  }

  /// Returns counts that are in memory only.
  public static SessionCounts inMemory() {
    return new SessionCounts(ByteBuffer.allocate(BYTES));
  }

  /// Stores the present counts: inner IP bytes since the session began.
  ///
  /// @param recentLost estimate of the bytes that the SNAPT sent in the last seconds and that did
  ///   not arrive
  /// @param recentUp the part of `up` of the last seconds
  /// @param recentDown the part of `down` of the last seconds
  public void note(long up, long down, long recentLost, long recentUp, long recentDown) {
    memory.putLong(UP, up);
    memory.putLong(DOWN, down);
    memory.putLong(RECENT_LOST, recentLost);
    memory.putLong(RECENT_UP, recentUp);
    memory.putLong(RECENT_DOWN, recentDown);
  }

  /// Sets the way of the session's flows to the device's reports, before the session begins.
  void tap(UsageTap reports) {
    tap = reports;
  }

  /// Returns the way of the session's flows to the device's reports.
  public UsageTap tap() {
    return tap;
  }

  /// Returns the inner IP bytes that were sent.
  public long up() {
    return memory.getLong(UP);
  }

  /// Returns the inner IP bytes that were received.
  public long down() {
    return memory.getLong(DOWN);
  }

  /// Returns an estimate of the inner IP bytes that the SNAPT sent in the last seconds and that did
  /// not arrive.
  public long recentLost() {
    return memory.getLong(RECENT_LOST);
  }

  /// Returns the part of [#up] of the last seconds, in bytes.
  public long recentUp() {
    return memory.getLong(RECENT_UP);
  }

  /// Returns the part of [#down] of the last seconds, in bytes.
  public long recentDown() {
    return memory.getLong(RECENT_DOWN);
  }
}
