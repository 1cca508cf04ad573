package io.viaduct.tunnel.codec;

import io.viaduct.tunnel.wire.ServiceClass;
import org.jspecify.annotations.Nullable;

/// Holds the codec policies of one session, one per class of service. A burst or a close exchange
/// of one class does not keep the codec from other classes. A class that is not used has no policy.
public final class ClassCodecs {
  /// Longest compression time of one block of a low-delay class: a twentieth of its 20 ms. The
  /// limit of a high-delay class is higher, although low-delay packets may wait behind its block.
  private static final long LOW_DELAY_BLOCK_NS = 1_000_000;

  private static final long HIGH_DELAY_BLOCK_NS = 2_000_000;

  private final CodecCosts costs;
  private final boolean speaksZstd;
  private final @Nullable CodecPolicy[] policies = new CodecPolicy[ServiceClass.COUNT];
  private long pacingBytesPerSecond;

  /// Creates policies on demand.
  ///
  /// @param speaksZstd true if the peer supports zstd
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

  /// Notes that the socket, or the network behind it, accepts no more bytes at the moment.
  public void limitedByLink(long nowNs) {
    for (@Nullable CodecPolicy policy : policies) {
      if (policy != null) {
        policy.limitedByLink(nowNs);
      }
    }
  }

  /// Sets the known rate of the path, 0 = unknown.
  public void pacing(long bytesPerSecond) {
    pacingBytesPerSecond = bytesPerSecond;
    for (@Nullable CodecPolicy policy : policies) {
      if (policy != null) {
        policy.pacing(bytesPerSecond);
      }
    }
  }
}
