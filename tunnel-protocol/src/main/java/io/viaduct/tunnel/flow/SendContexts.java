package io.viaduct.tunnel.flow;

import io.viaduct.tunnel.wire.DatagramHeader;
import java.util.Arrays;

/// The four generations of header contexts that this end uses for one flow. A generation is used
/// only after the receiver has acknowledged the OPEN that gave it its meaning: the acknowledgement
/// names the datagram of that OPEN, so one that belongs to an older meaning of the same two bits is
/// known by its age. A generation gets another meaning only while none of the flow's packets waits
/// in a queue, so that what is encoded and what is sealed agree on it.
public final class SendContexts {
  /// The context is held by no generation, and none may be given now.
  public static final int NONE = -1;

  private static final int GENERATIONS = 4;
  private final long[] contexts = new long[GENERATIONS];
  private final long[] sinceSequence = new long[GENERATIONS];
  private int acknowledged;
  private int newest;

  /// The generation of a context; one not seen lately gets the next.
  ///
  /// @param nextSequence of the next datagram that will be sealed
  /// @param mayReplace whether none of the flow's packets waits
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

  /// FLOW_ACK: the receiver holds what the OPEN in this datagram said.
  public void acknowledge(int generation, int sequenceLow, long nextSequence) {
    int g = generation & GENERATIONS - 1;
    long sequence = DatagramHeader.restore(sequenceLow, nextSequence);
    if (contexts[g] != HeaderContext.NONE
        && sequence >= sinceSequence[g]
        && sequence < nextSequence) {
      acknowledged |= 1 << g;
    }
  }

  /// FLOW_UNKNOWN: the receiver does not hold it.
  public void forget(int generation) {
    acknowledged &= ~(1 << (generation & GENERATIONS - 1));
  }

  /// Nothing is taken as acknowledged any more: the next packets are OPEN.
  public void forgetAll() {
    acknowledged = 0;
  }

  @Override
  public String toString() {
    return "contexts " + Arrays.toString(contexts) + " acknowledged " + acknowledged;
  }
}
