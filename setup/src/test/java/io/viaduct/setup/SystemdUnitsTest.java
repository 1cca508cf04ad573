package io.viaduct.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks the units with systemd's own parser; no systemd runs.
class SystemdUnitsTest {
  private static final Path ANALYZE = Path.of("/usr/bin/systemd-analyze");
  private static final Path ROOT = Path.of(System.getProperty("viaduct.root"));

  @TempDir private Path installation;

  @Test
  void systemdAcceptsTheUnitOfEachService() throws Exception {
    assumeTrue(Files.isExecutable(ANALYZE), ANALYZE + " is missing (apt-get install systemd)");
    var setup =
        SetupCommand.commandLine(InstantSource.fixed(SetupRun.NOW), new Launcher(ROOT, ROOT));
    String out = installation.toString();
    assertThat(setup.execute("--domain", "ims.test", "--host", "198.51.100.7", "--out", out))
        .isZero();

    var command = new ArrayList<>(List.of(ANALYZE.toString(), "verify", "--recursive-errors=no"));
    command.addAll(units());
    assertThat(command).hasSize(3 + 4);
    Process analyze = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(analyze.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(analyze.waitFor()).as(said).isZero();
    // The units of other packages on this machine are read too.
    assertThat(said.lines().filter(line -> !line.matches("/(usr/)?lib/systemd/.*"))).isEmpty();
  }

  private List<String> units() throws IOException {
    try (Stream<Path> units = Files.list(installation.resolve("systemd"))) {
      return units.map(Path::toString).sorted().toList();
    }
  }
}
