package io.viaduct.testbed.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Starts each program by its name in `bin/`, as `./viaduct NAME` does after a build.
class ServiceScriptLabIT {
  private static final Path BIN = Path.of(System.getProperty("viaduct.root"), "bin");

  static List<String> programs() throws Exception {
    try (Stream<Path> files = Files.list(BIN)) {
      return files
          .filter(Files::isSymbolicLink)
          .map(link -> link.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  void eachProgramFindsItsJarAndPrintsItsVersion(String program) throws Exception {
    Process process =
        new ProcessBuilder(BIN.resolve(program).toString(), "--version")
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    assertThat(output).containsPattern("\\d+\\.\\d+\\.\\d+");
  }
}
