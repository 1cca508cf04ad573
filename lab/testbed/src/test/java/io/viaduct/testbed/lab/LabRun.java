package io.viaduct.testbed.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// `./viaduct lab` as a person runs it, with a script on standard input.
///
/// @param status exit code
/// @param said output and errors
record LabRun(int status, String said) {
  private static final Path ROOT = Path.of(System.getProperty("viaduct.root"));
  private static final int PATIENCE_SECONDS = 180; // for slow machines and the suite's own load
  private static final List<Integer> IMPOSSIBLE_HERE = List.of(69, 77); // bin/laboratory.sh

  /// Runs a script to its end.
  ///
  /// @param directory for the script, the log and the temporary files of the run
  static LabRun of(Path directory, String script, String... options) throws Exception {
    Process lab = start(directory, script, options);
    try {
      assertThat(lab.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("ends").isTrue();
    } finally {
      lab.destroy();
    }
    String said = Files.readString(directory.resolve("log"));
    assumeTrue(!IMPOSSIBLE_HERE.contains(lab.exitValue()), said);
    return new LabRun(lab.exitValue(), said);
  }

  static Process start(Path directory, String script, String... options) throws Exception {
    assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "/dev/net/tun is missing or closed");
    Path file = Files.writeString(directory.resolve("script"), script);
    var words = new ArrayList<>(List.of(ROOT.resolve("viaduct").toString(), "lab"));
    words.addAll(List.of(options));
    Path temporary = Files.createDirectories(directory.resolve("temporary"));
    var builder = new ProcessBuilder(words).redirectErrorStream(true);
    builder.environment().put("VIADUCT_BUILT", "1"); // the suite has built the jars
    builder.environment().put("TMPDIR", temporary.toString());
    return builder
        .redirectInput(file.toFile())
        .redirectOutput(directory.resolve("log").toFile())
        .start();
  }
}
