package io.viaduct.tunnel.flow;

import java.util.Arrays;

/// The contexts that the peer has installed for one flow. Each remembers the sequence of the
/// datagram that installed it: a record in an older datagram meant an older context and is not
/// restored with this one, and an older OPEN does not replace it. So neither loss nor reordering
/// can make a wrong header.
public final class ReceiveContexts {
  private static final int GENERATIONS = 4;
  private final long[] contexts = new long[GENERATIONS];
  private final long[] sinceSequence = new long[GENERATIONS];

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
    sinceSequence[g] = sequence;
    return true;
  }

  /// The context for a record in the datagram with this sequence, or [HeaderContext#NONE].
  public long context(int generation, long sequence) {
    int g = generation & 3;
    return sequence >= sinceSequence[g] ? contexts[g] : HeaderContext.NONE;
  }

  void clear() {
    Arrays.fill(contexts, HeaderContext.NONE);
  }
}
