package io.viaduct.service.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EffectiveConfigurationTest {
  enum Mode {
    ON_DEMAND
  }

  record Process(String zone, Probe probe, Mode mode, Secret tokenFile, List<String> pools) {}

  record Probe(Duration longestWait, Path log) {}

  @TempDir Path folder;

  @Test
  void itHasTheFormOfTheFileInTheOrderOfTheRecordWithoutSecrets() throws Exception {
    Path token = Files.writeString(folder.resolve("token"), "do-not-show-me");
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
    Process process =
        new Process(
            "north",
            new Probe(Duration.ofSeconds(5), Path.of("/var/log/probe")),
            Mode.ON_DEMAND,
            Secret.of(token.toString()),
            List.of("a", "b"));
    assertThat(EffectiveConfiguration.of(process))
        .isEqualTo(
            """
            zone: north
            probe:
              longest-wait: PT5S
              log: /var/log/probe
            mode: on-demand
            token-file: %s
            pools:
            - a
            - b
            """
                .formatted(token));
  }
}
