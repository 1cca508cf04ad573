package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.classification.Application;
import io.viaduct.cnapt.classification.FlowIdentity;
import io.viaduct.cnapt.policy.FlowFacts;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.cnapt.policy.PolicyLine;
import io.viaduct.cnapt.policy.Unmet;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowTuple;
import org.jspecify.annotations.Nullable;

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

  /// Returns the line of the policy by which a flow is refused: its own, or one that leaves it to
  /// the configuration. Null if the flow is carried.
  ///
  /// @param first key of its first packet
  @Nullable PolicyLine refusal(FlowKey first, Application application) {
    FlowFacts facts =
        new FlowFacts(
            new FlowIdentity(first.protocol(), first.sourcePort(), first.destinationPort()),
            FlowTuple.address(first.destinationHigh(), first.destinationLow()),
            application);
    PolicyLine line = policy.line(facts);
    return line.rule().unmet().orElse(usual) == Unmet.REFUSE ? line : null;
  }

  /// Returns the rule by which a flow was refused, for a person.
  ///
  /// @param by of [#refusal]
  static String words(PolicyLine by) {
    return by.rule().unmet().isPresent()
        ? "%s of the policy (%s) says unmet: refuse".formatted(by.place(), by.rule().described())
        : "the configuration says snapts.unmet: refuse";
  }
}
