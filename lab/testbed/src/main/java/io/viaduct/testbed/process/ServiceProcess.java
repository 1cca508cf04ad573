package io.viaduct.testbed.process;

import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// One run of a program in a namespace. Its output is appended to a log file, so that a service has
/// one log over its restarts.
public final class ServiceProcess {
  private final String name;
  private final Path log;
  private final long logStart;
  private final Process process;

  private ServiceProcess(String name, Path log, long logStart, Process process) {
    this.name = name;
    this.log = log;
    this.logStart = logStart;
    this.process = process;
  }

  /// Starts a program in a namespace. Its log is `<directory>/<name>.log`, and its working and
  /// temporary directory is `directory`.
  public static ServiceProcess start(
      String name, NetworkNamespace namespace, List<String> command, Path directory) {
    return start(name, namespace.inside(command), directory);
  }

  /// Starts a program in the namespace of this process.
  static ServiceProcess start(String name, List<String> command, Path directory) {
    Path log = directory.resolve(name + ".log");
    try {
      long logStart = Files.exists(log) ? Files.size(log) : 0;
      var builder = new ProcessBuilder(command);
      builder.directory(directory.toFile());
      builder.environment().put("TMPDIR", directory.toString());
      builder.redirectErrorStream(true);
      builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
      Process process = builder.start();
      process.getOutputStream().close();
      return new ServiceProcess(name, log, logStart, process);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + name, e);
    }
  }

  public String name() {
    return name;
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /// Returns the program's own process id, because `nsenter` replaces itself by the program.
  public long id() {
    return process.pid();
  }

  /// Sends SIGKILL and waits for the end.
  public void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /// Sends SIGTERM, as an operator would, and waits for the end.
  ///
  /// @return its exit code
  public int stop() {
    process.destroy();
    return awaitEnd();
  }

  /// Waits for a program that ends by itself, and returns its exit code.
  public int awaitEnd() {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for " + name, e);
    }
  }

  /// Returns the last lines of this run's log, which show why it failed.
  public String lastLines(int lines) {
    try (var in = Files.newInputStream(log)) {
      in.skipNBytes(logStart);
      String written = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      List<String> all = written.lines().toList();
      return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
    } catch (IOException e) {
      return "(no log: " + e + ")";
    }
  }
}
