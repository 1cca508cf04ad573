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

/// `./viaduct demo` as a person starts it, its output kept in `target/`.
final class RunningDemo implements AutoCloseable {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final int PATIENCE_SECONDS = 240; // slow machines, and the suite's own load

  private final Path log;
  private final Process process;

  private RunningDemo(String name, List<String> options) throws IOException {
    log = Path.of("target", name + ".log");
    var words = new ArrayList<>(List.of(ROOT.resolve("viaduct").toString(), "demo", "--keep"));
    words.addAll(options);
    var builder = new ProcessBuilder(words);
    builder.environment().put("VIADUCT_BUILT", "1"); // the suite has built the jars
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    process = builder.start();
    process.getOutputStream().close();
  }

  static RunningDemo start(String name, String... options) throws IOException {
    assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "/dev/net/tun is missing or closed");
    assumeTrue(
        succeeds("unshare", "--user", "--map-root-user", "--net", "true")
            || succeeds("unshare", "--net", "true"),
        "neither user namespaces nor root here");
    return new RunningDemo(name, List.of(options));
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

  /// Waits until the narration says that it is over, in good or bad.
  String awaitVerdict() throws IOException {
    Awaitility.await("the demonstration's verdict, see " + log.toAbsolutePath())
        .atMost(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .until(() -> !process.isAlive() || output().contains("Ctrl-C ends it"));
    return output();
  }

  int awaitEnd() throws InterruptedException, IOException {
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      close();
    }
    return process.exitValue();
  }

  /// The first group of a pattern in the output.
  String find(String regex) throws IOException {
    Matcher matcher = Pattern.compile(regex).matcher(output());
    if (!matcher.find()) {
      throw new AssertionError("'" + regex + "' is not in " + log.toAbsolutePath());
    }
    return matcher.group(1);
  }

  /// SIGTERM, as `kill` sends it.
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
