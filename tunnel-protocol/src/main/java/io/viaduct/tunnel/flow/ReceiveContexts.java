package io.viaduct.tunnel.flow;

/// The contexts that the peer has installed for one flow. Each remembers the sequence of the
/// datagram that installed it: a record in an older datagram meant an older context and is not
/// restored with this one, and an older OPEN does not replace it. So neither loss nor reordering
/// can make a wrong header.
public final class ReceiveContexts {
  private static final int GENERATIONS = 4;
  private static final long ACK_SPACING_NS = 5_000_000;
  private final long[] contexts = new long[GENERATIONS];
  private final long[] sinceSequence = new long[GENERATIONS];
  private final long[] ackedNs = new long[GENERATIONS];
  private int ackedOnce;

  /// OPEN. @return whether this end now holds exactly this context, so that it may be acknowledged
  public boolean install(int generation, long context, long sequence) {
    int g = generation & 3;
    if (contexts[g] == context) {
      return true;
    }
    if (contexts[g] != HeaderContext.NONE && sequence <= sinceSequence[g]) {
      return false;
    }
    contexts[g] = context;
    ackedOnce &= ~(1 << g);
    sinceSequence[g] = sequence;
    return true;
  }

  /// The context for a record in the datagram with this sequence, or [HeaderContext#NONE].
  public long context(int generation, long sequence) {
    int g = generation & 3;
    return sequence >= sinceSequence[g] ? contexts[g] : HeaderContext.NONE;
  }

  /// Whether an OPEN should be acknowledged now: each generation once per 5 ms. Counts it as done.
  public boolean ackDue(int generation, long nowNs) {
    int g = generation & 3;
    if ((ackedOnce & 1 << g) != 0 && nowNs - ackedNs[g] < ACK_SPACING_NS) {
      return false;
    }
    ackedOnce |= 1 << g;
    ackedNs[g] = nowNs;
    return true;
  }
}
