package io.viaduct.snapt.credit;

import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.policy.EgressRule;
import io.viaduct.tunnel.flow.FlowState;
import java.util.List;

/// Destinations that users without credit still reach, such as the pages where they top up and the
/// resolver that knows their name. What is carried to them is charged. Immutable.
public final class FreeDestinations {
  private final List<EgressRule> rules;

  /// @param rules the entries of `credit.reachable`
  public FreeDestinations(List<EgressRule> rules) {
    this.rules = List.copyOf(rules);
  }

  /// Returns whether the remote end of a flow is one of them.
  boolean has(FlowState flow) {
    for (int i = 0; i < rules.size(); i++) {
      if (matches(rules.get(i), flow)) {
        return true;
      }
    }
    return false;
  }

  private static boolean matches(EgressRule rule, FlowState flow) {
    Prefix network = rule.network();
    return rule.covers(flow.protocol())
        && (!rule.hasPorts()
            || rule.portFrom() <= flow.remotePort() && flow.remotePort() <= rule.portTo())
        && (network == null
            || network.ipv6() != flow.isIpv4() && network.contains(flow.remoteHigh(), low(flow)));
  }

  // A flow has IPv4 addresses as IPv4-mapped ones, a prefix has the 32 bits alone.
  private static long low(FlowState flow) {
    return flow.isIpv4() ? flow.remoteLow() & 0xFFFF_FFFFL : flow.remoteLow();
  }
}
