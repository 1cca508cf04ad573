package io.viaduct.testbed.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.setup.SetupCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks that the services accept the files of `viaduct setup`: each packaged program checks its
/// configuration.
class ComposeLabIT {
  private static final Path ROOT = Path.of(System.getProperty("viaduct.root"));
  private static final Path DOCKER = ROOT.resolve("docker");

  /// Service of the compose file → program of `bin/`.
  private static final Map<String, String> PROGRAMS =
      Map.of(
          "danum-billing", "danum-billing",
          "ims-bridge", "ims-bridge",
          "webgui", "webgui",
          "snapt-1", "snapt",
          "snapt-2", "snapt",
          "cnapt", "cnapt");

  @TempDir private Path directory;

  @Test
  void everyContainerAcceptsTheFilesThatItGets() throws Exception {
    Path installation = ComposeInstallation.make(directory);
    for (String service : PROGRAMS.keySet()) {
      Path container = Files.createDirectories(directory.resolve("containers").resolve(service));
      for (var mount : ComposeInstallation.mounts(DOCKER, service).entrySet()) {
        Path target = container.resolve(Path.of(mount.getValue()).getFileName());
        Files.copy(installation.resolve(mount.getKey()), target); // with its mode
      }
      Map<?, ?> environment =
          ComposeInstallation.environment(DOCKER.resolve("compose.yml"), service);
      assertThat(assertAccepted(service, container.resolve("service.yml"), environment))
          .as(service)
          .contains("# logging.format: from the environment", "format: json");
      var withBroker = new HashMap<Object, Object>(environment);
      withBroker.putAll(
          ComposeInstallation.environment(DOCKER.resolve("compose-kafka.yml"), service));
      if (!withBroker.equals(environment)) {
        assertThat(assertAccepted(service, container.resolve("service.yml"), withBroker))
            .as(service)
            .contains("kafka:9092");
      }
    }
  }

  @Test
  void anInstallationOnOneMachineIsAccepted() throws Exception {
    Path installation = directory.resolve("one");
    assertThat(
            SetupCommand.run(
                InstantSource.system(),
                ROOT,
                "--domain",
                "ims.test",
                "--host",
                "203.0.113.21",
                "--host",
                "2001:db8::21",
                "--host",
                "relay.example",
                "--out",
                installation.toString()))
        .isZero();
    for (String service : List.of("danum-billing", "ims-bridge", "webgui", "snapt-1")) {
      assertAccepted(service, installation.resolve(service).resolve(service + ".yml"), Map.of());
    }
  }

  private static String assertAccepted(String service, Path configuration, Map<?, ?> environment)
      throws Exception {
    String program = ROOT.resolve("bin").resolve(PROGRAMS.get(service)).toString();
    var check = run(List.of(program, "check", "--config", configuration.toString()), environment);
    assertThat(check.status()).as(service + ": " + check.output()).isZero();
    return check.output();
  }

  private record Outcome(int status, String output) {}

  private static Outcome run(List<String> words, Map<?, ?> environment)
      throws IOException, InterruptedException {
    var builder = new ProcessBuilder(words).redirectErrorStream(true);
    environment.forEach((name, value) -> builder.environment().put("" + name, "" + value));
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Outcome(process.waitFor(), output);
  }
}
