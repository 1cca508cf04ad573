package io.viaduct.controlbench;

import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// A process with a [Fleet], in a namespace of the laboratory.
final class FleetProcess implements AutoCloseable {
  private final String name;
  private final Process process;
  private final BufferedReader answers;
  private final PrintStream orders;

  private FleetProcess(String name, Process process) {
    this.name = name;
    this.process = process;
    this.answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    this.orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
  }

  /// Starts a fleet, and returns when it can begin.
  ///
  /// @param main with the main method
  /// @param directory for its log
  static FleetProcess start(
      String name,
      NetworkNamespace namespace,
      Class<? extends Fleet> main,
      List<String> arguments,
      Path directory)
      throws IOException {
    List<String> words =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Xmx1g",
                "-Djava.io.tmpdir=" + directory,
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    words.addAll(arguments);
    File log = directory.resolve(name + ".log").toFile();
    ProcessBuilder builder = new ProcessBuilder(namespace.inside(words));
    builder.directory(directory.toFile());
    builder.redirectError(ProcessBuilder.Redirect.appendTo(log));
    FleetProcess started = new FleetProcess(name, builder.start());
    started.expect("ready");
    return started;
  }

  void begin() throws IOException {
    order("begin");
    expect("begun");
  }

  void mark() throws IOException {
    order("mark");
    expect("marked");
  }

  long served() throws IOException {
    return Long.parseLong(ask("served"));
  }

  /// Returns the times of the members that were served, in milliseconds.
  Stream<Long> times() throws IOException {
    String all = ask("times");
    return all.isEmpty() ? Stream.of() : Stream.of(all.split(" ")).map(Long::valueOf);
  }

  /// Returns a count of the devices since the start.
  long count(String name) throws IOException {
    return Stream.of(ask("counts").split(" "))
        .filter(pair -> pair.startsWith(name + "="))
        .mapToLong(pair -> Long.parseLong(pair.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  private String ask(String question) throws IOException {
    order(question);
    return answer();
  }

  private void order(String word) {
    orders.println(word);
  }

  private String answer() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IllegalStateException("%s has ended; see its log".formatted(name));
    }
    return line;
  }

  private void expect(String word) throws IOException {
    String told = answer();
    if (!told.equals(word)) {
      throw new IllegalStateException("%s said '%s' in place of '%s'".formatted(name, told, word));
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
