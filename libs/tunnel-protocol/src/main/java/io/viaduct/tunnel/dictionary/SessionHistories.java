package io.viaduct.tunnel.dictionary;

import org.jspecify.annotations.Nullable;

/// Holds one session's histories of both directions. There are none if the ends have not agreed on
/// histories, and none of sent packets if they are not compressed.
public final class SessionHistories implements AutoCloseable {
  private final HistoryMemory memory;
  private final @Nullable SendHistory sent;
  private final @Nullable ReceiveHistory received;

  /// Creates the histories.
  ///
  /// @param bytes plain text per epoch, 0 for no histories
  public SessionHistories(
      HistoryMemory memory, int bytes, boolean compresses, HistoryControls controls) {
    this.memory = memory;
    sent = bytes > 0 && compresses ? new SendHistory(memory, bytes) : null;
    received = bytes > 0 ? new ReceiveHistory(memory, bytes, controls) : null;
  }

  public @Nullable SendHistory sent() {
    return sent;
  }

  public @Nullable ReceiveHistory received() {
    return received;
  }

  /// Returns whether there is no open context that must expire in time.
  public boolean isEmpty() {
    return (sent == null || sent.isEmpty()) && (received == null || received.isEmpty());
  }

  public void expire(long nowNs) {
    if (received == null) {
      return;
    }
    memory.expire(nowNs);
    received.trim();
    if (sent != null) {
      sent.trim();
    }
  }

  @Override
  public void close() {
    if (sent != null) {
      sent.close();
    }
    if (received != null) {
      received.close();
    }
  }
}
