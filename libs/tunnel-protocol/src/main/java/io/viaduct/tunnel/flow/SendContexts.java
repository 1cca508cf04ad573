package io.viaduct.tunnel.flow;

import io.viaduct.tunnel.wire.DatagramHeader;
import java.util.Arrays;

/// Holds the four generations of header contexts that this end uses for one flow.
///
/// A generation is used only after the receiver has acknowledged the OPEN that installed it. The
/// acknowledgement names the datagram of that OPEN: its age shows an acknowledgement of an older
/// context with the same two bits. A generation gets another context only while none of the flow's
/// packets waits in a queue. So a packet is sealed with the same generations as it was encoded
/// with.
public final class SendContexts {
  /// Result if no generation holds the context, and none can be replaced now.
  public static final int NONE = -1;

  private static final int GENERATIONS = 4;
  private final long[] contexts = new long[GENERATIONS];
  private final long[] sinceSequence = new long[GENERATIONS];
  private int acknowledged;
  private int newest;

  /// Returns the generation of a context. A new context replaces the next generation.
  ///
  /// @param nextSequence sequence of the next datagram that will be sealed
  /// @param mayReplace true if none of the flow's packets waits in a queue
  public int generation(long context, long nextSequence, boolean mayReplace) {
    if (contexts[newest] == context) {
      return newest;
    }
    for (int g = 0; g < GENERATIONS; g++) {
      if (contexts[g] == context) {
        return g;
      }
    }
    int candidate = contexts[newest] == HeaderContext.NONE ? newest : newest + 1 & GENERATIONS - 1;
    if (contexts[candidate] != HeaderContext.NONE && !mayReplace) {
      return NONE;
    }
    newest = candidate;
    contexts[newest] = context;
    sinceSequence[newest] = nextSequence;
    acknowledged &= ~(1 << newest);
    return newest;
  }

  public boolean isAcknowledged(int generation) {
    return generation >= 0 && (acknowledged & 1 << generation) != 0;
  }

  /// Handles FLOW_ACK: the receiver holds the context that the OPEN in this datagram installed.
  public void acknowledge(int generation, int sequenceLow, long nextSequence) {
    int g = generation & GENERATIONS - 1;
    long sequence = DatagramHeader.restore(sequenceLow, nextSequence);
    if (contexts[g] != HeaderContext.NONE
        && sequence >= sinceSequence[g]
        && sequence < nextSequence) {
      acknowledged |= 1 << g;
    }
  }

  /// Handles FLOW_UNKNOWN: the receiver does not hold the context.
  public void forget(int generation) {
    acknowledged &= ~(1 << (generation & GENERATIONS - 1));
  }

  /// Marks all generations as not acknowledged, so that the next packets are OPEN.
  public void forgetAll() {
    acknowledged = 0;
  }

  @Override
  public String toString() {
    return "contexts " + Arrays.toString(contexts) + " acknowledged " + acknowledged;
  }
}
