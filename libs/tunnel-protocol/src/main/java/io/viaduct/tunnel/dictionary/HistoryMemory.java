package io.viaduct.tunnel.dictionary;

import io.viaduct.tunnel.codec.CodecCosts;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Holds the state that the histories of one event loop share: codec contexts, the budget, and the
/// order of use.
///
/// Each direction has half of the budget. A sending history is closed for a newer one at any time,
/// at the cost of compression ratio. A receiving history is closed only when idle, because the peer
/// may still compress with it.
public final class HistoryMemory implements AutoCloseable {
  /// Bound on the heap and native bytes of all contexts of one loop.
  public static final long BUDGET_BYTES = 64L << 20;

  /// Idle time after which a sender closes a context. It is shorter than the receiver's, so that
  /// the receiver closes no context in use.
  static final long SEND_IDLE_NS = 20_000_000_000L;

  static final long RECEIVE_IDLE_NS = 60_000_000_000L;

  private final Side sending = new Side();
  private final Side receiving = new Side();
  private final long[] events = new long[HistoryEvent.values().length];
  private final ZstdBlocks zstd = new ZstdBlocks();
  private final DictionaryArrays arrays = new DictionaryArrays();
  private final long[] order = new long[BlockLog.BLOCKS_MAX];
  private final CodecCosts costs;
  private final BackgroundWork backgroundWork;
  private final long budgetBytes;

  private static final class Side {
    @Nullable HistoryContext oldest;
    @Nullable HistoryContext newest;
    long heldBytes;
  }

  /// Creates the memory of one loop.
  ///
  /// @param backgroundWork runs the making of dictionaries
  /// @param nanoTime clock for the codecs' cost
  public HistoryMemory(BackgroundWork backgroundWork, LongSupplier nanoTime, long budgetBytes) {
    this.backgroundWork = backgroundWork;
    this.budgetBytes = budgetBytes;
    this.costs = new CodecCosts(nanoTime);
  }

  public ZstdBlocks zstd() {
    return zstd;
  }

  DictionaryArrays arrays() {
    return arrays;
  }

  /// Returns scratch for [BlockLog#order], valid until the next use on the loop.
  long[] order() {
    return order;
  }

  public CodecCosts costs() {
    return costs;
  }

  BackgroundWork backgroundWork() {
    return backgroundWork;
  }

  /// Returns the counters by [HistoryEvent] ordinal; read only.
  public long[] events() {
    return events;
  }

  void count(HistoryEvent event) {
    events[event.ordinal()]++;
  }

  /// Returns the bytes that all contexts of the loop hold.
  public long heldBytes() {
    return sending.heldBytes + receiving.heldBytes;
  }

  private Side side(HistoryContext context) {
    return context.isSending() ? sending : receiving;
  }

  void held(HistoryContext context, long change) {
    side(context).heldBytes += change;
  }

  void add(HistoryContext context, long nowNs) {
    Side side = side(context);
    context.lastNs = nowNs;
    context.older = side.newest;
    context.newer = null;
    if (side.newest == null) {
      side.oldest = context;
    } else {
      side.newest.newer = context;
    }
    side.newest = context;
  }

  void used(HistoryContext context, long nowNs) {
    if (side(context).newest == context) {
      context.lastNs = nowNs;
    } else if (!context.isClosed()) {
      remove(context);
      add(context, nowNs);
    }
  }

  void remove(HistoryContext context) {
    Side side = side(context);
    HistoryContext before = context.older;
    HistoryContext behind = context.newer;
    if (before == null) {
      side.oldest = behind;
    } else {
      before.newer = behind;
    }
    if (behind == null) {
      side.newest = before;
    } else {
      behind.older = before;
    }
    context.older = null;
    context.newer = null;
  }

  /// Makes room for additional bytes of a context. @return false if there is none
  boolean makeRoom(HistoryContext context, long bytes, long nowNs) {
    Side side = side(context);
    while (side.heldBytes + bytes > budgetBytes / 2) {
      HistoryContext oldest = side.oldest;
      if (oldest == null
          || oldest == context
          || !oldest.isSending() && nowNs - oldest.lastNs < SEND_IDLE_NS) {
        return false;
      }
      count(HistoryEvent.CONTEXT_EVICTED);
      oldest.close();
    }
    return true;
  }

  /// Closes contexts that were not used for long.
  public void expire(long nowNs) {
    expire(sending, nowNs - SEND_IDLE_NS);
    expire(receiving, nowNs - RECEIVE_IDLE_NS);
  }

  private void expire(Side side, long beforeNs) {
    for (HistoryContext context = side.oldest;
        context != null && context.lastNs <= beforeNs;
        context = side.oldest) {
      count(HistoryEvent.CONTEXT_IDLE);
      context.close();
    }
  }

  @Override
  public void close() {
    for (Side side : new Side[] {sending, receiving}) {
      for (HistoryContext context = side.oldest; context != null; context = side.oldest) {
        context.close();
      }
    }
    zstd.close();
  }
}
