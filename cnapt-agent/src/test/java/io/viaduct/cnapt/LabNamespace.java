package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A network namespace for one test. This JVM stays outside; a second JVM inside the namespace runs
/// a scenario and prints its results.
public final class LabNamespace implements AutoCloseable {
  private final String name;

  private LabNamespace(String name) {
    this.name = name;
  }

  /// Creates a namespace. Skips the test, with the reason, if namespaces or TUN devices are not
  /// available.
  public static LabNamespace make(String purpose) throws Exception {
    String name = "cnapt-" + purpose + "-" + ProcessHandle.current().pid();
    boolean made = ip("netns", "add", name) == 0;
    System.out.println(made ? "namespace " + name : "skipped: no right to make a namespace");
    assumeTrue(made, "needs the right to make network namespaces (root)");
    LabNamespace namespace = new LabNamespace(name);
    if (!Files.isWritable(Path.of("/dev/net/tun"))) {
      namespace.close();
      System.out.println("skipped: no /dev/net/tun");
      assumeTrue(false, "needs /dev/net/tun");
    }
    return namespace;
  }

  /// Runs a main method in the namespace.
  ///
  /// @return its output
  public String run(Class<?> scenario, String... arguments) throws Exception {
    List<String> line =
        new ArrayList<>(
            List.of(
                "ip",
                "netns",
                "exec",
                name,
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                scenario.getName()));
    line.addAll(List.of(arguments));
    Path output = Files.createTempFile("scenario", ".txt");
    Process process =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    int code = process.waitFor();
    String seen = Files.readString(output);
    Files.delete(output);
    assertThat(code).as(seen).isZero();
    return seen;
  }

  private static int ip(String... arguments) throws Exception {
    List<String> line = new ArrayList<>(List.of("ip"));
    line.addAll(List.of(arguments));
    return new ProcessBuilder(line).redirectErrorStream(true).start().waitFor();
  }

  @Override
  public void close() throws Exception {
    ip("netns", "delete", name);
  }
}
