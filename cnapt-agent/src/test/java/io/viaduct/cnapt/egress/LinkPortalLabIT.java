package io.viaduct.cnapt.egress;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.LabNamespace;
import org.junit.jupiter.api.Test;

/// Runs [LinkPortalScenario] in its own network namespace.
class LinkPortalLabIT {
  @Test
  void aPortalOnOneLinkIsShownWhileAnotherCarriesAndNothingIsOpened() throws Exception {
    try (LabNamespace namespace = LabNamespace.make("link-portal")) {
      assertThat(namespace.run(LinkPortalScenario.class))
          .contains("page of the Internet by up1 Answer[status=204, location=]")
          .contains("on links {up2=http://portal.lab/login}")
          .contains("stands in the way of all: ''")
          .contains("rules for portals 0")
          .contains("accepted by up2 Answer[status=204, location=]")
          .contains("page of the Internet by up2 Answer[status=204, location=]")
          .contains("on links after it answers {}");
    }
  }
}
