package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// `./viaduct bench path-mtu`: real processes, real TCP, a gateway that loses what is too long.
class PathMtuLabIT {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final int PATIENCE_SECONDS = 300; // slow machines, and the suite's own load

  @Test
  void oneTcpConnectionSurvivesLinksThatBecomeNarrowerWithoutAWord(@TempDir Path folder)
      throws Exception {
    assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "/dev/net/tun is missing or closed");
    Path log = folder.resolve("path-mtu.log");
    var builder =
        new ProcessBuilder(
            ROOT.resolve("viaduct").toString(), "bench", "path-mtu", "--output=" + folder);
    builder.environment().put("VIADUCT_BUILT", "1"); // the suite has built the jars
    Process bench = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      assertThat(bench.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    } finally {
      bench.destroy();
    }
    String told = Files.readString(log);
    System.out.println(told);
    assumeTrue(bench.exitValue() != 69 && bench.exitValue() != 77, told);
    assertThat(bench.exitValue()).as(told).isZero();
    JsonNode links =
        JsonMapper.shared()
            .readTree(Files.readString(folder.resolve("path-mtu.json")))
            .path("links");
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
