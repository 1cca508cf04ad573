package io.viaduct.snapt.policy;

import io.viaduct.snapt.napt.Prefix;
import java.util.List;
import java.util.stream.Stream;

/// Policies with the addresses of a SNAPT that no interface of this machine has.
public final class TestPolicies {
  private TestPolicies() {}

  /// Returns a policy that refuses only source routes and these addresses.
  public static EgressPolicy withOwn(String... addresses) {
    EgressPolicy policy = EgressPolicy.open();
    List<Prefix> own = Stream.of(addresses).map(Prefix::of).toList();
    policy.own(own);
    return policy;
  }
}
