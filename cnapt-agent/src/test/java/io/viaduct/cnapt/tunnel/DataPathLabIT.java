package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.LabNamespace;
import org.junit.jupiter.api.Test;

/// Runs [DataPathScenario] on a real TUN in its own network namespace.
class DataPathLabIT {
  @Test
  void aProgramsPacketsGoThroughTheTunnelAndBackInTheClassOfItsProcess() throws Exception {
    try (LabNamespace namespace = LabNamespace.make("data")) {
      String seen = namespace.run(DataPathScenario.class);
      System.out.println(seen);
      assertThat(seen)
          .contains("echo: 1\n")
          .contains("flow: java ssh LT_LD, reclassified 1\n")
          .contains("echoes: 50\n")
          .contains("class at the SNAPT: LT_LD\n")
          .contains("carried from a foreign address: 0\n")
          .contains("same socket, new session: 1\n")
          .contains("inner bytes at least 51 kB: true\n")
          .contains("told of the flow at the end: true\n")
          .contains("not written 0, refusals 0, pauses 0\n");
    }
  }
}
