package io.viaduct.host.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Each test starts a process that starts the program in its own place.
class ProgramStartTest {
  /// Starts the program that the arguments name.
  static final class Starting {
    public static void main(String[] words) {
      IOException refused = ProgramStart.replace(List.of(words));
      System.out.print(refused);
    }
  }

  private static Process start(String... words) throws IOException {
    List<String> line =
        new ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Starting.class.getName()));
    line.addAll(List.of(words));
    return new ProcessBuilder(line).redirectErrorStream(true).start();
  }

  private static String said(Process process) throws IOException {
    return new String(process.getInputStream().readAllBytes(), UTF_8).strip();
  }

  @Test
  void theProgramHasTheProcessIdTheArgumentsAndTheExitCode() throws Exception {
    Process process = start("sh", "-c", "echo $$ \"$1\"; exit 7", "sh", "--a  b");
    assertThat(said(process)).isEqualTo(process.pid() + " --a  b");
    assertThat(process.waitFor()).isEqualTo(7);
  }

  @Test
  void theProgramBlocksNoSignal() throws Exception {
    Process process = start("grep", "SigBlk", "/proc/self/status");
    assertThat(said(process)).isEqualTo("SigBlk:\t0000000000000000");
    assertThat(process.waitFor()).isZero();
  }

  @Test
  void aProgramThatDoesNotExistIsNamed() throws Exception {
    Process process = start("viaduct-no-such-program");
    assertThat(said(process))
        .isEqualTo(
            "java.nio.file.NoSuchFileException: viaduct-no-such-program: there is no such program");
    assertThat(process.waitFor()).isZero();
  }
}
