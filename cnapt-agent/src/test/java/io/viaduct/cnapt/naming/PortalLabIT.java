package io.viaduct.cnapt.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.LabNamespace;
import org.junit.jupiter.api.Test;

/// Runs [PortalScenario] in its own network namespace.
class PortalLabIT {
  @Test
  void aCaptivePortalIsFoundByItsNameAndPassedAndNothingElseLeaves() throws Exception {
    try (LabNamespace namespace = LabNamespace.make("portal")) {
      assertThat(namespace.run(PortalScenario.class))
          .contains("before cannot be reached")
          .contains("noticed http://portal.lab/login")
          .contains("name 203.0.113.7")
          .contains("second name 203.0.113.9")
          .contains("other name unknown: no address for other.lab")
          .contains("portal HTTP/1.1 302")
          .contains("log-in HTTP/1.1 200")
          .contains("other host cannot be reached")
          .contains("accept HTTP/1.1 204")
          .contains("passed true")
          .contains("after cannot be reached \n")
          .contains("left 0");
    }
  }
}
