package io.viaduct.tunnel.history;

import org.jspecify.annotations.Nullable;

/// One context of one direction, in the loop's list from the longest unused to the newest.
abstract class HistoryContext {
  final HistoryMemory memory;
  @Nullable HistoryContext older;
  @Nullable HistoryContext newer;
  long lastNs;
  private long heldBytes;
  private boolean closed;

  HistoryContext(HistoryMemory memory) {
    this.memory = memory;
  }

  final long heldBytes() {
    return heldBytes;
  }

  /// Whether it has been given up: nothing may be done with it any more.
  public final boolean isGone() {
    return closed;
  }

  final boolean isClosed() {
    return closed;
  }

  /// What is held has become more or less.
  final void held(long change) {
    heldBytes += change;
    memory.held(this, change);
  }

  /// Frees everything; the owner forgets it.
  final void close() {
    if (!closed) {
      closed = true;
      free();
      memory.remove(this);
      memory.held(this, -heldBytes);
      heldBytes = 0;
    }
  }

  abstract void free();

  abstract boolean isSending();
}
