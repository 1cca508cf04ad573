package io.viaduct.tunnel.dictionary;

import org.jspecify.annotations.Nullable;

/// One context of one direction, in the loop's list from the least recently used to the newest.
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

  /// Returns whether the context was closed; then it must not be used any more.
  public final boolean isGone() {
    return closed;
  }

  final boolean isClosed() {
    return closed;
  }

  /// Changes the count of held bytes.
  final void held(long change) {
    heldBytes += change;
    memory.held(this, change);
  }

  /// Frees everything. The owner removes the context from its list.
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
