package io.viaduct.tunnel.history;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// What the histories of one event loop share: codec contexts, the budget, and the order in which
/// they were used. Each direction has half of the budget. A history that this end sends from is
/// given up for a newer one at any time: that costs ratio. One that it receives into is given up
/// only when idle, because the peer may still compress with it.
public final class HistoryMemory implements AutoCloseable {
  /// What the contexts of one loop hold together, in bytes of heap and native memory.
  public static final long BUDGET_BYTES = 64L << 20;

  /// A sender forgets earlier than the receiver, who so forgets nothing that is in use.
  static final long SEND_IDLE_NS = 20_000_000_000L;

  static final long RECEIVE_IDLE_NS = 60_000_000_000L;

  private final Side sending = new Side();
  private final Side receiving = new Side();
  private final long[] events = new long[HistoryEvent.values().length];
  private final ZstdBlocks zstd = new ZstdBlocks();
  private final DictionaryArrays arrays = new DictionaryArrays();
  private final long[] order = new long[BlockLog.BLOCKS_MAX];
  private final CodecCosts costs;
  private final Digestion digestion;
  private final long budgetBytes;

  private static final class Side {
    @Nullable HistoryContext oldest;
    @Nullable HistoryContext newest;
    long heldBytes;
  }

  /// @param digestion where dictionaries are made
  /// @param nanoTime measures how long codecs take
  public HistoryMemory(Digestion digestion, LongSupplier nanoTime, long budgetBytes) {
    this.digestion = digestion;
    this.budgetBytes = budgetBytes;
    this.costs = new CodecCosts(nanoTime);
  }

  public ZstdBlocks zstd() {
    return zstd;
  }

  DictionaryArrays arrays() {
    return arrays;
  }

  /// For [BlockLog#order], until somebody else on the loop asks for it.
  long[] order() {
    return order;
  }

  public CodecCosts costs() {
    return costs;
  }

  Digestion digestion() {
    return digestion;
  }

  /// Counters by [HistoryEvent] ordinal; read only.
  public long[] events() {
    return events;
  }

  void count(HistoryEvent event) {
    events[event.ordinal()]++;
  }

  /// What all contexts of the loop hold.
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

  /// Makes room for what a context wants to hold in addition. @return false if there is none
  boolean admits(HistoryContext context, long bytes, long nowNs) {
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

  /// Time passes: what was not used for long is freed.
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
