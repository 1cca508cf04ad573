package io.viaduct.cnapt.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.LabNamespace;
import org.junit.jupiter.api.Test;

/// Runs [NamesScenario] in its own network namespace.
class OutsideResolverLabIT {
  @Test
  void namesAreLookedUpOutsideTheTunnelAndOutliveTheResolverThatDiesWithItsLink() throws Exception {
    try (LabNamespace namespace = LabNamespace.make("names")) {
      assertThat(namespace.run(NamesScenario.class))
          .contains("by any library 203.0.113.5")
          .contains("without the mark unknown: no address for bridge.lab")
          .contains("link gone 203.0.113.5 soon")
          .contains(
              "never seen unknown: no address for other.lab from the resolvers [198.51.100.1]")
          .contains("other network 203.0.113.6");
    }
  }
}
