package io.viaduct.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Ctrl-C leaves no process and no file behind.
class InterruptLabIT {
  private static final int INTERRUPTED = 130; // 128 + SIGINT

  @TempDir private Path temporary;

  @ParameterizedTest
  @ValueSource(strings = {"building the network in namespaces", "starting billing, bridge, pages"})
  void ctrlCLeavesNeitherProcessNorFile(String moment) throws Exception {
    try (RunningDemo demo = RunningDemo.start("interrupt", temporary, List.of("--once"))) {
      demo.awaitOutput(moment);
      assertThat(processes()).as("processes of the laboratory").isNotEmpty();
      demo.interrupt();
      assertThat(demo.awaitEnd()).isEqualTo(INTERRUPTED);
      assertThat(demo.output()).doesNotContain("Exception", "NOT ");
    }
    assertThat(processes()).isEmpty();
    assertThat(files()).isEmpty();
  }

  /// Returns command lines that contain the run's directory.
  private List<String> processes() {
    return ProcessHandle.allProcesses()
        .map(process -> process.info().commandLine().orElse(""))
        .filter(line -> line.contains(temporary.toString()))
        .toList();
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(temporary)) {
      return files.toList();
    }
  }
}
