package io.viaduct.tunnel.flow;

/// Holds the header contexts that the peer has installed for one flow.
///
/// Each context remembers the datagram that installed it and the newest datagram that confirmed it.
/// A record in a datagram older than the first belongs to an older context, and is not restored
/// with this one. An OPEN older than the second does not replace the context. So neither loss nor
/// reordering produces a wrong header.
public final class ReceiveContexts {
  private static final int GENERATIONS = 4;
  private static final long ACK_SPACING_NS = 5_000_000;
  private final long[] contexts = new long[GENERATIONS];
  private final long[] firstSequence = new long[GENERATIONS];
  private final long[] newestSequence = new long[GENERATIONS];
  private final long[] ackedNs = new long[GENERATIONS];
  private int acked;

  /// Installs the context of an OPEN in the datagram with this sequence.
  ///
  /// @return true if this end now holds that context, so that it may be acknowledged
  public boolean install(int generation, long context, long sequence) {
    int g = generation & GENERATIONS - 1;
    if (contexts[g] == context) {
      newestSequence[g] = Math.max(newestSequence[g], sequence);
      return sequence >= firstSequence[g];
    }
    if (contexts[g] != HeaderContext.NONE && sequence <= newestSequence[g]) {
      return false;
    }
    contexts[g] = context;
    firstSequence[g] = sequence;
    newestSequence[g] = sequence;
    acked &= ~(1 << g);
    return true;
  }

  /// Returns the context for a record in the datagram with this sequence, or [HeaderContext#NONE].
  public long context(int generation, long sequence) {
    int g = generation & GENERATIONS - 1;
    return sequence >= firstSequence[g] ? contexts[g] : HeaderContext.NONE;
  }

  /// Returns whether an OPEN should be acknowledged now: each generation once per 5 ms. Counts the
  /// acknowledgement as sent.
  public boolean shouldAcknowledge(int generation, long nowNs) {
    int g = generation & GENERATIONS - 1;
    if ((acked & 1 << g) != 0 && nowNs - ackedNs[g] < ACK_SPACING_NS) {
      return false;
    }
    acked |= 1 << g;
    ackedNs[g] = nowNs;
    return true;
  }
}
