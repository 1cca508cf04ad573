package io.viaduct.tunnel.history;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The histories from which one session sends, by remote host. Names of contexts are given once in
/// a session, so that no record about an older one can be taken for the present one.
public final class SendHistory {
  public static final int CONTEXTS_MAX = 32;

  private static final int IDS_MAX = (1 << 21) - 1;

  private final HistoryMemory memory;
  private final int window;
  private @Nullable SendContext[] contexts = new SendContext[4];
  private int ids;

  /// @param window bytes of plain text of an epoch, as the handshake agreed; a power of two
  public SendHistory(HistoryMemory memory, int window) {
    this.memory = memory;
    this.window = window;
  }

  /// The context of a host, or null.
  public @Nullable SendContext find(long remoteHigh, long remoteLow) {
    for (SendContext context : contexts) {
      if (context != null && context.isOf(remoteHigh, remoteLow) && !context.isClosed()) {
        return context;
      }
    }
    return null;
  }

  /// A new context for a host, or null if there is no room.
  public @Nullable SendContext open(long remoteHigh, long remoteLow, long nowNs) {
    if (ids == IDS_MAX) {
      return null;
    }
    SendContext made = new SendContext(memory, ids + 1, remoteHigh, remoteLow, window, nowNs);
    if (!memory.admits(made, 16_384, nowNs)) {
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

  /// EPOCH from the peer.
  ///
  /// @param nextSequence of the next datagram that this end will seal
  public void announced(EpochAnnouncement announcement, long nextSequence, long nowNs) {
    SendContext context = byId(announcement.context);
    if (context != null) {
      context.announced(announcement, nextSequence, nowNs);
    }
  }

  /// EPOCH_UNKNOWN from the peer.
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

  /// Whether it holds anything, so that time must pass for it.
  public boolean isEmpty() {
    for (SendContext context : contexts) {
      if (context != null && !context.isClosed()) {
        return false;
      }
    }
    return true;
  }

  /// Gives memory back that idle contexts have left behind.
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
