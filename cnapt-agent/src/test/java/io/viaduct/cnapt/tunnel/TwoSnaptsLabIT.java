package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.LabNamespace;
import org.junit.jupiter.api.Test;

/// Runs [TwoSnaptsScenario] on a real TUN in its own network namespace.
class TwoSnaptsLabIT {
  @Test
  void eachFlowHasOneSnaptAndNewOnesTheNearestThatCarries() throws Exception {
    try (LabNamespace namespace = LabNamespace.make("two")) {
      String seen = namespace.run(TwoSnaptsScenario.class);
      System.out.println(seen);
      assertThat(seen)
          .contains("with one session: 1 by the expected one\n")
          .contains("same flow: 1 by the expected one\n")
          .contains("same UDP port: 1 by the expected one\n")
          .contains("same host: 1 by the expected one\n")
          .contains("new host: 1, follows the flows of UDP port LATER; without them ")
          .contains(" would have been taken: least cost of class ")
          .contains("free: 1 by the expected one, least cost of class HT_LD at its first packet: ")
          .contains("after a death: 1 by the expected one\n")
          .contains("states: [carrying, silent]\n")
          .contains("followed 3, chosen 2, best effort 0\n");
    }
  }
}
