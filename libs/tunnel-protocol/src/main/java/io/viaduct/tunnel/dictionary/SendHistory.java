package io.viaduct.tunnel.dictionary;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Holds the sending histories of one session, by remote host. A context's id is used once in a
/// session, so that no record about an older context is taken for the present one.
public final class SendHistory {
  public static final int CONTEXTS_MAX = 32;

  private static final int IDS_MAX = (1 << 21) - 1;

  private final HistoryMemory memory;
  private final int window;
  private @Nullable SendContext[] contexts = new SendContext[4];
  private int ids;

  /// Creates empty histories.
  ///
  /// @param window plain-text bytes of an epoch, as the handshake agreed; a power of two
  public SendHistory(HistoryMemory memory, int window) {
    this.memory = memory;
    this.window = window;
  }

  /// Returns the context of a host, or null.
  public @Nullable SendContext find(long remoteHigh, long remoteLow) {
    for (SendContext context : contexts) {
      if (context != null && context.isOf(remoteHigh, remoteLow) && !context.isClosed()) {
        return context;
      }
    }
    return null;
  }

  /// Opens a context for a host. Returns null if there is no room.
  public @Nullable SendContext open(long remoteHigh, long remoteLow, long nowNs) {
    if (ids == IDS_MAX) {
      return null;
    }
    SendContext made = new SendContext(memory, ids + 1, remoteHigh, remoteLow, window, nowNs);
    if (!memory.makeRoom(made, 16_384, nowNs)) {
      return null;
    }
    ids++;
    place(made);
    memory.add(made, nowNs);
    memory.count(HistoryEvent.SEND_CONTEXT_OPENED);
    return made;
  }

  private void place(SendContext made) {
    int oldest = 0;
    long oldestNs = Long.MAX_VALUE;
    for (int i = 0; i < contexts.length; i++) {
      SendContext context = contexts[i];
      if (context == null || context.isClosed()) {
        contexts[i] = made;
        return;
      }
      if (context.lastNs < oldestNs) {
        oldest = i;
        oldestNs = context.lastNs;
      }
    }
    if (contexts.length < CONTEXTS_MAX) {
      int at = contexts.length;
      contexts = Arrays.copyOf(contexts, at * 2);
      contexts[at] = made;
      return;
    }
    SendContext pushed = contexts[oldest];
    if (pushed != null) {
      memory.count(HistoryEvent.CONTEXT_EVICTED);
      pushed.close();
    }
    contexts[oldest] = made;
  }

  /// Takes EPOCH from the peer.
  ///
  /// @param nextSequence sequence of the next datagram that this end will seal
  public void announced(EpochAnnouncement announcement, long nextSequence, long nowNs) {
    SendContext context = byId(announcement.context);
    if (context != null) {
      context.announced(announcement, nextSequence, nowNs);
    }
  }

  /// Takes EPOCH_UNKNOWN from the peer.
  public void unknown(int context, int epoch) {
    SendContext known = byId(context);
    if (known != null) {
      known.unknown(epoch);
    }
  }

  private @Nullable SendContext byId(int id) {
    for (SendContext context : contexts) {
      if (context != null && context.id() == id && !context.isClosed()) {
        return context;
      }
    }
    return null;
  }

  /// Returns whether there is no open context; if there is one, it must be expired in time.
  public boolean isEmpty() {
    for (SendContext context : contexts) {
      if (context != null && !context.isClosed()) {
        return false;
      }
    }
    return true;
  }

  /// Frees the memory that idle contexts have left behind.
  public void trim() {
    if (isEmpty()) {
      contexts = new SendContext[4];
    }
  }

  public void close() {
    for (SendContext context : contexts) {
      if (context != null) {
        context.close();
      }
    }
    contexts = new SendContext[4];
  }
}
