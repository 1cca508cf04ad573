package io.viaduct.cnapt.policy;

import io.viaduct.cnapt.classification.Applications;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.FlowIdentity;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/// Makes paths, rules and flows for the tests.
final class Paths {
  static final Classifier TABLE = Applications.classifier(Optional.empty());

  private Paths() {}

  static PathSnapshot path(int id, PathState state, long delayMs, long spareKbit) {
    return path(id, "link" + id, state, delayMs, spareKbit, 0);
  }

  static PathSnapshot path(
      int id, String link, PathState state, long delayMs, long spareKbit, double cost) {
    return new PathSnapshot(id, link, state, delayMs * 1_000_000, spareKbit * 1000, cost);
  }

  /// Returns a line that matches every flow.
  static PolicyLine line(String method) {
    return new PolicyLine(1, false, rule(method));
  }

  static PolicyRule rule(String method) {
    return new PolicyRule(
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Distribution.of(method),
        Optional.empty());
  }

  static FlowFacts flow(String application, int protocol, String remote, int port) {
    return new FlowFacts(
        new FlowIdentity(protocol, 40000, port),
        InetAddress.ofLiteral(remote),
        TABLE.applications().stream()
            .filter(each -> each.name().equals(application))
            .findFirst()
            .orElseThrow());
  }

  static List<Integer> ids(Decision decision) {
    return decision.paths().stream().map(PathSnapshot::id).toList();
  }
}
