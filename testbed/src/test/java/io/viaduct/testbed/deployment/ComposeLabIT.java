package io.viaduct.testbed.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The services accept the configuration files of the compose file, with keys as `keys.sh` makes
/// them.
class ComposeLabIT {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  /// Configuration file → service of `bin/`.
  private static final Map<String, String> SERVICES =
      Map.of(
          "danum-billing", "danum-billing",
          "ims-bridge", "ims-bridge",
          "webgui", "webgui",
          "snapt-1", "snapt",
          "snapt-2", "snapt",
          "cnapt", "cnapt");

  @TempDir private Path directory;

  @Test
  void everyServiceAcceptsItsConfiguration() throws Exception {
    assumeTrue(run(List.of("openssl", "version")).status() == 0, "openssl is missing");
    copy(ROOT.resolve("docker"), directory.resolve("docker"));
    Path docker = directory.resolve("docker");
    var keys = run(List.of(docker.resolve("keys.sh").toString()));
    assertThat(keys.status()).as(keys.output()).isZero();
    relocate(docker.resolve("configuration/subscribers.yml"), docker);
    for (var service : SERVICES.entrySet()) {
      Path file = docker.resolve("configuration").resolve(service.getKey() + ".yml");
      relocate(file, docker);
      var check =
          run(
              List.of(
                  ROOT.resolve("bin").resolve(service.getValue()).toString(),
                  "check",
                  "--config",
                  file.toString()));
      assertThat(check.status()).as(service.getKey() + ": " + check.output()).isZero();
    }
  }

  /// What a container finds under /etc/viaduct is here beside the compose file.
  private static void relocate(Path file, Path docker) throws IOException {
    String text =
        Files.readString(file)
            .replace("/etc/viaduct/secrets", docker.resolve("secrets").toString())
            .replace("/etc/viaduct", docker.resolve("configuration").toString());
    Files.writeString(file, text);
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(path -> !path.startsWith(from.resolve("secrets"))).toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  private record Outcome(int status, String output) {}

  private static Outcome run(List<String> words) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Outcome(process.waitFor(), output);
    } catch (IOException e) {
      return new Outcome(127, e.toString());
    }
  }
}
