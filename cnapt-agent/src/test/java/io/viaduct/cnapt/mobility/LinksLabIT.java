package io.viaduct.cnapt.mobility;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.LabNamespace;
import org.junit.jupiter.api.Test;

/// Runs [LinksScenario] in a network namespace.
class LinksLabIT {
  @Test
  void eachChangeOfTheKernelsLinksIsReportedOnce() throws Exception {
    try (LabNamespace namespace = LabNamespace.make("links")) {
      assertThat(namespace.run(LinksScenario.class))
          .contains("start: added eth0[/10.5.0.2];\n")
          .contains("up: added wwan0[/10.6.0.2] spare;\n")
          .contains("ipv6 address:\n")
          .contains("ipv6 route: changed wwan0[/10.6.0.2, /fd06:0:0:0:0:0:0:2] spare;\n")
          .contains("route gone: removed eth0;\n")
          .contains("carrier lost: removed wwan0;\n")
          .containsPattern("carrier back: added wwan0.* spare;\n")
          .contains("tunnel:\n")
          .contains("deleted: removed wwan0;\n");
    }
  }
}
