package io.viaduct.testbed.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Runs a main class of the tests as the first process of namespaces of its own, with the packaged
/// programs. A test whose requirement is missing is skipped with the reason.
public final class UnsharedRun {
  private static final Path ROOT = Path.of(System.getProperty("viaduct.root"));
  private static final int PATIENCE_MINUTES = 8;
  private static final List<String> UNSHARE =
      List.of(
          "unshare",
          "--user",
          "--map-root-user",
          "--net",
          "--mount",
          "--pid",
          "--fork",
          "--kill-child",
          "--mount-proc");

  private UnsharedRun() {}

  /// Runs the class to its end, which must be a success.
  ///
  /// @param name of the log in `target/`
  /// @param directory second argument of the class, after the clone
  /// @param environment additional variables
  /// @return what it printed
  public static String of(
      Class<?> type, String name, Path directory, Map<String, String> environment)
      throws IOException, InterruptedException {
    assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "/dev/net/tun is missing or closed");
    var trial = new ArrayList<>(UNSHARE);
    trial.add("true");
    assumeTrue(succeeds(trial.toArray(String[]::new)), "no user namespaces here");
    var words = new ArrayList<>(UNSHARE);
    words.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            type.getName(),
            ROOT.toString(),
            directory.toString()));
    Path log = Path.of("target", name + ".log").toAbsolutePath();
    var builder = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().put("VIADUCT_BUILT", "1"); // the suite has built the jars
    builder.environment().put("VIADUCT_TRAIN", "no");
    builder.environment().putAll(environment);
    Process laboratory = builder.start();
    laboratory.getOutputStream().close();
    try {
      boolean ended = laboratory.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES);
      String said = Files.readString(log);
      assertThat(ended).as("ends, see %s:%n%s", log, said).isTrue();
      assertThat(laboratory.exitValue()).as("see %s:%n%s", log, said).isZero();
      return said;
    } finally {
      laboratory.destroyForcibly();
    }
  }

  /// Returns the number that the class has printed with this name.
  public static double number(String said, String name) {
    Matcher found = Pattern.compile("(?m)^" + name + ": ([0-9.]+)$").matcher(said);
    assertThat(found.find()).as("%s in %s", name, said).isTrue();
    return Double.parseDouble(found.group(1));
  }

  /// Returns true if a command can be run and succeeds.
  public static boolean succeeds(String... words) throws InterruptedException {
    try {
      return new ProcessBuilder(words).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
