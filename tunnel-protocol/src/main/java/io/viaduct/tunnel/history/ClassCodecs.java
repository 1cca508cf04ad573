package io.viaduct.tunnel.history;

import io.viaduct.tunnel.wire.ServiceClass;
import org.jspecify.annotations.Nullable;

/// The codec policies of one session, one per class of service: what keeps the codec from a burst
/// or a close exchange of one class keeps it from no other. A class that is not used has none.
public final class ClassCodecs {
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
      policy = new CodecPolicy(costs, speaksZstd);
      policy.pacing(pacingBytesPerSecond);
      policies[serviceClass.ordinal()] = policy;
    }
    return policy;
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
