package io.viaduct.tunnel.dictionary;

import io.viaduct.tunnel.wire.Arrival;
import io.viaduct.tunnel.wire.Verdict;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Holds the receiving histories of one session. Blocks of a datagram are decompressed between
/// [#begin] and [#end]. They enter the history only after the whole body has been found
/// well-formed.
public final class ReceiveHistory {
  /// Bound on the contexts: twice the sender's. Both ends close the least recently used context
  /// first.
  static final int CONTEXTS_MAX = 2 * SendHistory.CONTEXTS_MAX;

  private static final long UNKNOWN_SPACING_NS = 1_000_000;

  private final HistoryMemory memory;
  private final HistoryControls controls;
  private final int window;
  private @Nullable ReceiveContext[] contexts = new ReceiveContext[4];
  private @Nullable ProcessedSequences processed;
  private int epochs;
  private long unknownNs = Long.MIN_VALUE / 2;

  // The datagram that is being read.
  private boolean complete;
  private boolean touchedAny;

  /// Creates empty histories.
  ///
  /// @param window plain-text bytes of an epoch, as the handshake agreed; a power of two
  public ReceiveHistory(HistoryMemory memory, int window, HistoryControls controls) {
    this.memory = memory;
    this.window = window;
    this.controls = controls;
  }

  HistoryControls controls() {
    return controls;
  }

  int nextEpoch() {
    return ++epochs;
  }

  /// Begins a datagram.
  public void begin() {
    complete = true;
    touchedAny = false;
  }

  /// Decompresses a zstd block.
  ///
  /// @param context 0 if the block belongs to no context
  /// @return ACCEPTED, BAD_COMPRESSION or UNKNOWN_EPOCH
  public Verdict decompress(
      Arrival arrival,
      int context,
      int epoch,
      byte[] block,
      int at,
      int length,
      byte[] to,
      int toAt,
      int original) {
    ReceiveDictionary dictionary = null;
    if (epoch != 0) {
      ReceiveContext held = context(context);
      dictionary = held == null ? null : held.epoch(epoch);
      if (dictionary == null) {
        long nowNs = arrival.nowNs();
        if (nowNs - unknownNs >= UNKNOWN_SPACING_NS) {
          unknownNs = nowNs;
          controls.epochUnknown(context, epoch, nowNs);
        }
        return Verdict.UNKNOWN_EPOCH;
      }
    }
    return memory.zstd().decompress(block, at, length, dictionary, to, toAt, original)
        ? Verdict.ACCEPTED
        : Verdict.BAD_COMPRESSION;
  }

  /// Takes a block of a context, in a well-formed body.
  public void block(
      Arrival arrival, int context, int epoch, boolean enters, byte[] plain, int at, int length) {
    long nowNs = arrival.nowNs();
    ReceiveContext held = context(context);
    if (held == null) {
      if (!enters) {
        return;
      }
      held = open(context, arrival);
    }
    if (held == null) {
      complete = false;
      return;
    }
    memory.used(held, nowNs);
    held.touched = true;
    touchedAny = true;
    if (epoch != 0) {
      held.used(epoch, nowNs);
    }
    if (enters && !held.enter(plain, at, length, arrival.sequence(), nowNs)) {
      memory.count(HistoryEvent.CONTEXT_REFUSED);
      complete = false;
    }
  }

  /// Ends the datagram, after all its blocks were processed.
  public void end(Arrival arrival) {
    if (touchedAny && processed == null) {
      processed = new ProcessedSequences();
    }
    ProcessedSequences sequences = processed;
    if (sequences == null) {
      return;
    }
    if (complete) {
      sequences.mark(arrival.sequence());
    }
    if (!touchedAny) {
      return;
    }
    for (ReceiveContext context : contexts) {
      if (context != null && context.touched) {
        context.touched = false;
        context.consider(sequences, this, arrival.nowNs());
      }
    }
  }

  private @Nullable ReceiveContext context(int id) {
    for (ReceiveContext context : contexts) {
      if (context != null && context.id() == id && !context.isClosed()) {
        return context;
      }
    }
    return null;
  }

  private @Nullable ReceiveContext open(int id, Arrival arrival) {
    long nowNs = arrival.nowNs();
    long highest = processed == null ? -1 : processed.highest();
    ReceiveContext made =
        new ReceiveContext(memory, id, window, Math.max(highest, arrival.sequence() - 1));
    if (!memory.makeRoom(made, 16_384, nowNs)) {
      memory.count(HistoryEvent.CONTEXT_REFUSED);
      return null;
    }
    contexts = slot(contexts, made);
    memory.add(made, nowNs);
    memory.count(HistoryEvent.RECEIVE_CONTEXT_OPENED);
    return made;
  }

  /// Puts the context into a free place, or into that of the least recently used one.
  private @Nullable ReceiveContext[] slot(@Nullable ReceiveContext[] all, ReceiveContext made) {
    int oldest = -1;
    for (int i = 0; i < all.length; i++) {
      ReceiveContext context = all[i];
      if (context == null || context.isClosed()) {
        all[i] = made;
        return all;
      }
      oldest = oldest < 0 || context.lastNs < lastNs(all[oldest]) ? i : oldest;
    }
    if (all.length < CONTEXTS_MAX) {
      @Nullable ReceiveContext[] larger = Arrays.copyOf(all, all.length * 2);
      larger[all.length] = made;
      return larger;
    }
    ReceiveContext pushed = all[oldest];
    if (pushed != null) {
      memory.count(HistoryEvent.CONTEXT_EVICTED);
      pushed.close();
    }
    all[oldest] = made;
    return all;
  }

  private static long lastNs(@Nullable ReceiveContext context) {
    return context == null ? Long.MIN_VALUE : context.lastNs;
  }

  /// Returns whether there is no open context; if there is one, it must be expired in time.
  public boolean isEmpty() {
    for (ReceiveContext context : contexts) {
      if (context != null && !context.isClosed()) {
        return false;
      }
    }
    return true;
  }

  /// Frees the memory that idle contexts have left behind.
  public void trim() {
    if (isEmpty()) {
      processed = null;
      contexts = new ReceiveContext[4];
    }
  }

  public void close() {
    for (ReceiveContext context : contexts) {
      if (context != null) {
        context.close();
      }
    }
    trim();
  }
}
