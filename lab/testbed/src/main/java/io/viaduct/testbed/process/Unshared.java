package io.viaduct.testbed.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// Runs a main class as the first process of namespaces of its own, so that nothing of an earlier
/// run is left, and nothing of this one stays. [FirstProcess] is its other half.
public final class Unshared {
  private static final List<String> NAMESPACES =
      List.of("--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc");

  private Unshared() {}

  /// A run that has come to its end.
  ///
  /// @param status exit code
  /// @param said everything that it printed
  public record Ended(int status, String said) {
    /// Returns the numbers that the class has printed in lines `name: number`, in their order.
    public List<Double> numbers(String name) {
      return Pattern.compile("(?m)^" + Pattern.quote(name) + ": (-?[0-9.E-]+)$")
          .matcher(said)
          .results()
          .map(line -> Double.valueOf(line.group(1)))
          .toList();
    }
  }

  /// Returns the command that makes namespaces and runs the words behind it.
  ///
  /// @param ofUser true for a caller who is no administrator of its own namespaces
  public static List<String> command(boolean ofUser) {
    var words = new ArrayList<>(List.of("unshare"));
    if (ofUser) {
      words.addAll(List.of("--user", "--map-root-user"));
    }
    words.addAll(NAMESPACES);
    return words;
  }

  /// Runs the class to its end. A run that takes longer is killed.
  ///
  /// @param command of [#command]
  /// @param log receives everything that it prints
  /// @throws IllegalStateException if it does not end in time
  public static Ended run(
      List<String> command,
      Class<?> type,
      List<String> arguments,
      Map<String, String> environment,
      Path log,
      Duration patience)
      throws IOException, InterruptedException {
    var words = new ArrayList<>(command);
    words.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            type.getName()));
    words.addAll(arguments);
    var builder = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().put("VIADUCT_BUILT", "1"); // the caller has built the jars
    builder.environment().put("VIADUCT_TRAIN", "no");
    builder.environment().putAll(environment);
    Process first = builder.start();
    first.getOutputStream().close();
    try {
      boolean ended = first.waitFor(patience.toSeconds(), TimeUnit.SECONDS);
      String said = Files.readString(log);
      if (!ended) {
        throw new IllegalStateException(
            "%s has not ended after %d s, see %s:%n%s"
                .formatted(type.getSimpleName(), patience.toSeconds(), log, said));
      }
      return new Ended(first.exitValue(), said);
    } finally {
      first.destroyForcibly();
    }
  }
}
