package io.viaduct.testbed.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Runs a main class of the laboratory as the first process of namespaces of its own, with the
/// packaged programs. A test whose requirement is missing is skipped with the reason.
public final class UnsharedRun {
  private static final Path ROOT = Path.of(System.getProperty("viaduct.root"));
  private static final Duration PATIENCE = Duration.ofMinutes(8);

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
    return run(true, type, name, directory, environment);
  }

  /// Runs the class as root of the host instead of a user namespace, for what the kernel allows
  /// nobody else.
  public static String asRoot(Class<?> type, String name, Path directory)
      throws IOException, InterruptedException {
    return run(false, type, name, directory, Map.of());
  }

  private static String run(
      boolean ofUser, Class<?> type, String name, Path directory, Map<String, String> environment)
      throws IOException, InterruptedException {
    assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "/dev/net/tun is missing or closed");
    var trial = new ArrayList<>(Unshared.command(ofUser));
    trial.add("true");
    assumeTrue(
        succeeds(trial.toArray(String[]::new)),
        ofUser ? "no user namespaces here" : "no right to make namespaces");
    Path log = Path.of("target", name + ".log").toAbsolutePath();
    Unshared.Ended ended =
        Unshared.run(
            Unshared.command(ofUser),
            type,
            List.of(ROOT.toString(), directory.toString()),
            environment,
            log,
            PATIENCE);
    assertThat(ended.status()).as("see %s:%n%s", log, ended.said()).isZero();
    return ended.said();
  }

  /// Returns the number that the class has printed with this name.
  public static double number(String said, String name) {
    List<Double> found = new Unshared.Ended(0, said).numbers(name);
    assertThat(found).as("%s in %s", name, said).isNotEmpty();
    return found.getFirst();
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
