package io.viaduct.testbed.demo;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/// `./viaduct demo` as a person starts it; its output is kept in `target/`.
final class RunningDemo implements AutoCloseable {
  private static final Path ROOT = Path.of(System.getProperty("viaduct.root"));
  private static final int PATIENCE_SECONDS = 480; // for slow machines and the suite's own load

  private final Path log;
  private final Process process;

  private RunningDemo(String name, Path temporary, List<String> options) throws IOException {
    log = Path.of("target", name + ".log");
    // a process group of its own, so that it can be interrupted as by a terminal
    var words = new ArrayList<>(List.of("env", "--default-signal=INT", "setsid"));
    words.addAll(List.of(ROOT.resolve("viaduct").toString(), "demo"));
    words.addAll(options);
    var builder = new ProcessBuilder(words);
    builder.environment().put("TMPDIR", temporary.toString());
    builder.environment().put("VIADUCT_BUILT", "1"); // the suite has built the jars
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    process = builder.start();
    process.getOutputStream().close();
  }

  /// Starts a demonstration. Its logs are in `build/lab/` after its verdict.
  static RunningDemo start(String name, String... options) throws IOException {
    var words = new ArrayList<>(List.of("--keep"));
    words.addAll(List.of(options));
    return start(name, Path.of(System.getProperty("java.io.tmpdir")), words);
  }

  /// Starts a demonstration.
  ///
  /// @param temporary directory for the files that it removes at its end
  static RunningDemo start(String name, Path temporary, List<String> options) throws IOException {
    assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "/dev/net/tun is missing or closed");
    assumeTrue(
        succeeds("unshare", "--user", "--map-root-user", "--net", "true")
            || succeeds("unshare", "--net", "true"),
        "neither user namespaces nor root here");
    return new RunningDemo(name, temporary, options);
  }

  private static boolean succeeds(String... words) throws IOException {
    try {
      return new ProcessBuilder(words).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  String output() throws IOException {
    return Files.readString(log);
  }

  /// Waits until the narration says that the demonstration has passed or failed.
  String awaitVerdict() throws IOException {
    Awaitility.await("the demonstration's verdict, see " + log.toAbsolutePath())
        .atMost(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .until(() -> !process.isAlive() || output().contains("Ctrl-C ends the demonstration"));
    return output();
  }

  /// Waits until the output contains a text.
  void awaitOutput(String words) {
    Awaitility.await("'" + words + "', see " + log.toAbsolutePath())
        .atMost(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .until(() -> !process.isAlive() || output().contains(words));
  }

  /// Sends SIGINT, like Ctrl-C, to the launcher and to all processes of its group.
  void interrupt() throws IOException {
    if (!succeeds("kill", "-INT", "--", "-" + process.pid())) {
      throw new IOException("the demonstration ended before it was interrupted");
    }
  }

  int awaitEnd() throws InterruptedException, IOException {
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      close();
    }
    return process.exitValue();
  }

  /// Returns the first group of a pattern in the output.
  String find(String regex) throws IOException {
    Matcher matcher = Pattern.compile(regex).matcher(output());
    if (!matcher.find()) {
      throw new AssertionError("'" + regex + "' is not in " + log.toAbsolutePath());
    }
    return matcher.group(1);
  }

  /// Sends SIGTERM, as `kill` does.
  @Override
  public void close() {
    process.destroy();
    try {
      process.waitFor(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
