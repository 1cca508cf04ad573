package io.viaduct.tunnel.flow;

import java.util.Arrays;

/// The four generations of header contexts that this end uses for one flow. A generation may be
/// used only after the receiver has acknowledged it with the check value of the very same context,
/// so that an acknowledgement of an older context with the same two bits does no harm.
public final class SendContexts {
  private static final int GENERATIONS = 4;
  private final long[] contexts = new long[GENERATIONS];
  private int acknowledged;
  private int newest;

  /// The generation of a context; a context not seen lately gets the next one.
  public int generation(long context) {
    if (contexts[newest] == context) {
      return newest;
    }
    for (int g = 0; g < GENERATIONS; g++) {
      if (contexts[g] == context) {
        return g;
      }
    }
    if (contexts[newest] != HeaderContext.NONE) {
      newest = (newest + 1) & 3;
    }
    contexts[newest] = context;
    acknowledged &= ~(1 << newest);
    return newest;
  }

  public boolean isAcknowledged(int generation) {
    return (acknowledged & 1 << generation) != 0;
  }

  /// FLOW_ACK: the receiver holds a context with this check value.
  public void acknowledge(int generation, int check, FlowState flow) {
    int g = generation & 3;
    if (contexts[g] != HeaderContext.NONE && check(flow, contexts[g]) == check) {
      acknowledged |= 1 << g;
    }
  }

  /// FLOW_UNKNOWN: the receiver does not hold it.
  public void forget(int generation) {
    acknowledged &= ~(1 << (generation & 3));
  }

  public void forgetAll() {
    acknowledged = 0;
    newest = 0;
    Arrays.fill(contexts, HeaderContext.NONE);
  }

  /// Check value of a context with its flow: 32 bits of a 64-bit mix (Steele, Lea, Flood,
  /// SplittableRandom).
  public static int check(FlowState flow, long context) {
    long h = mix(context ^ flow.protocol());
    h = mix(h ^ flow.deviceHigh());
    h = mix(h ^ flow.deviceLow());
    h = mix(h ^ flow.remoteHigh());
    h = mix(h ^ flow.remoteLow());
    h = mix(h ^ ((long) flow.devicePort() << 16 | flow.remotePort()));
    return (int) (h >>> 32);
  }

  static long mix(long z) {
    long x = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    x = (x ^ (x >>> 27)) * 0x94d049bb133111ebL;
    return x ^ (x >>> 31);
  }
}
