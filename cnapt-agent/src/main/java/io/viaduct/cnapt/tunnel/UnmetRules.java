package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.classification.Application;
import io.viaduct.cnapt.classification.FlowIdentity;
import io.viaduct.cnapt.policy.FlowFacts;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.cnapt.policy.Unmet;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowTuple;

/// Says what becomes of a new flow whose class no SNAPT meets: the line of the policy that decides
/// about the flow, or else the configuration.
///
/// @param usual of the key `snapts.unmet`
record UnmetRules(Unmet usual, Policy policy) {
  /// Returns whether any flow may be refused.
  boolean mayRefuse() {
    return usual == Unmet.REFUSE
        || policy.lines().stream()
            .anyMatch(each -> each.rule().unmet().orElse(usual) == Unmet.REFUSE);
  }

  /// Returns whether a flow is refused.
  ///
  /// @param first key of its first packet
  boolean refuse(FlowKey first, Application application) {
    FlowFacts facts =
        new FlowFacts(
            new FlowIdentity(first.protocol(), first.sourcePort(), first.destinationPort()),
            FlowTuple.address(first.destinationHigh(), first.destinationLow()),
            application);
    return policy.line(facts).rule().unmet().orElse(usual) == Unmet.REFUSE;
  }
}
