package io.viaduct.tunnel.session;

import io.viaduct.tunnel.history.HistoryControls;
import io.viaduct.tunnel.history.HistoryMemory;
import io.viaduct.tunnel.history.ReceiveHistory;
import io.viaduct.tunnel.history.SendHistory;
import org.jspecify.annotations.Nullable;

/// What one session remembers of the plaintext in either direction; nothing where the ends have not
/// agreed on histories, and nothing of what is sent where it is not compressed.
final class SessionHistories implements AutoCloseable {
  private final HistoryMemory memory;
  private final @Nullable SendHistory sent;
  private final @Nullable ReceiveHistory received;

  /// @param bytes of each context, 0 for no histories
  SessionHistories(HistoryMemory memory, int bytes, boolean compresses, HistoryControls controls) {
    this.memory = memory;
    sent = bytes > 0 && compresses ? new SendHistory(memory, bytes) : null;
    received = bytes > 0 ? new ReceiveHistory(memory, bytes, controls) : null;
  }

  @Nullable SendHistory sent() {
    return sent;
  }

  @Nullable ReceiveHistory received() {
    return received;
  }

  /// Whether nothing is held whose time must pass.
  boolean isEmpty() {
    return (sent == null || sent.isEmpty()) && (received == null || received.isEmpty());
  }

  void expire(long nowNs) {
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
