package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Runs `./viaduct bench path-mtu`: a gateway that drops packets that are too long.
class PathMtuLabIT {
  @Test
  void oneTcpConnectionSurvivesLinksThatBecomeNarrowerWithoutAWord(@TempDir Path folder)
      throws Exception {
    JsonNode links = BenchRun.of("path-mtu", folder).path("rows");
    assertThat(links.size()).isEqualTo(3);
    for (JsonNode link : links) {
      assertThat(link.path("up").asInt(0)).isEqualTo(link.path("mtu").asInt(-1));
      assertThat(link.path("down").asInt(0)).isEqualTo(link.path("mtu").asInt(-1));
      assertThat(link.path("ping").asString(""))
          .as("a packet that is too big is answered")
          .matches("ping is missing|.*mtu.*");
    }
  }
}
