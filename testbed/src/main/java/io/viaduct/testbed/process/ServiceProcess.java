package io.viaduct.testbed.process;

import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// One run of a program inside a namespace. Its output is appended to a log file, so that the log
/// of a service goes on over its restarts.
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

  /// Starts it; its log is `<directory>/<name>.log`, its working and temporary directory is
  /// `directory`.
  public static ServiceProcess start(
      String name, NetworkNamespace namespace, List<String> command, Path directory) {
    return start(name, namespace.inside(command), directory);
  }

  /// The same in the namespace of this process.
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

  /// `nsenter` has become the program, so this is the program's own id.
  public long id() {
    return process.pid();
  }

  /// SIGKILL, and waits for the end.
  public void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /// SIGTERM, as an operator stops it.
  ///
  /// @return its exit code
  public int stop() {
    process.destroy();
    return awaitEnd();
  }

  /// Waits for a program that ends by itself.
  public int awaitEnd() {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for " + name, e);
    }
  }

  /// The end of what this run wrote to the log, for a person who must see why it failed.
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
