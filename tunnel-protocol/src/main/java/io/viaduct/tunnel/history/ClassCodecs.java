package io.viaduct.tunnel.history;

import io.viaduct.tunnel.wire.ServiceClass;
import org.jspecify.annotations.Nullable;

/// The codec policies of one session, one per class of service: what keeps the codec from a burst
/// or a close exchange of one class keeps it from no other. A class that is not used has none.
public final class ClassCodecs {
  /// What one block of low delay may take, a twentieth of its 20 ms; and one of high delay, which
  /// low delay may stand behind.
  private static final long LOW_DELAY_BLOCK_NS = 1_000_000;

  private static final long HIGH_DELAY_BLOCK_NS = 2_000_000;

  private final CodecCosts costs;
  private final boolean speaksZstd;
  private final @Nullable CodecPolicy[] policies = new CodecPolicy[ServiceClass.COUNT];
  private long pacingBytesPerSecond;

  /// @param speaksZstd whether the peer does
  public ClassCodecs(CodecCosts costs, boolean speaksZstd) {
    this.costs = costs;
    this.speaksZstd = speaksZstd;
  }

  public CodecPolicy of(ServiceClass serviceClass) {
    CodecPolicy policy = policies[serviceClass.ordinal()];
    if (policy == null) {
      policy = new CodecPolicy(costs, speaksZstd, blockNsMax(serviceClass));
      policy.pacing(pacingBytesPerSecond);
      policies[serviceClass.ordinal()] = policy;
    }
    return policy;
  }

  private static long blockNsMax(ServiceClass serviceClass) {
    return switch (serviceClass) {
      case LT_LD, HT_LD -> LOW_DELAY_BLOCK_NS;
      case LT_HD, HT_HD -> HIGH_DELAY_BLOCK_NS;
    };
  }

  /// The socket, or whatever is behind it, takes no more at the moment.
  public void limitedByLink(long nowNs) {
    for (@Nullable CodecPolicy policy : policies) {
      if (policy != null) {
        policy.limitedByLink(nowNs);
      }
    }
  }

  /// What the path is known to carry, 0 = unknown.
  public void pacing(long bytesPerSecond) {
    pacingBytesPerSecond = bytesPerSecond;
    for (@Nullable CodecPolicy policy : policies) {
      if (policy != null) {
        policy.pacing(bytesPerSecond);
      }
    }
  }
}
