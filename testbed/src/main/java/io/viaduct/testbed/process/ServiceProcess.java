package io.viaduct.testbed.process;

import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// One part of the system as a process inside a namespace, its output in a log file that survives a
/// restart.
public final class ServiceProcess {
  private final String name;
  private final NetworkNamespace namespace;
  private final List<String> command;
  private final Path directory;
  private final Path log;
  private final Map<String, String> environment;
  private Process process;

  private ServiceProcess(
      String name,
      NetworkNamespace namespace,
      List<String> command,
      Path directory,
      Map<String, String> environment) {
    this.name = name;
    this.namespace = namespace;
    this.command = List.copyOf(command);
    this.directory = directory;
    this.log = directory.resolve(name + ".log");
    this.environment = Map.copyOf(environment);
    this.process = spawn();
  }

  /// Starts it; its log is `<directory>/<name>.log`, its working and temporary directory is
  /// `directory`.
  public static ServiceProcess start(
      String name, NetworkNamespace namespace, List<String> command, Path directory) {
    return new ServiceProcess(
        name, namespace, command, directory, Map.of("TMPDIR", directory.toString()));
  }

  private Process spawn() {
    try {
      var builder = new ProcessBuilder(namespace.inside(command));
      builder.directory(directory.toFile());
      builder.environment().putAll(environment);
      builder.redirectErrorStream(true);
      builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
      Process started = builder.start();
      started.getOutputStream().close();
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + name, e);
    }
  }

  public String name() {
    return name;
  }

  public NetworkNamespace namespace() {
    return namespace;
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /// `nsenter` has become the program, so this is the program's own id.
  public long id() {
    return process.pid();
  }

  /// SIGKILL, waits for the end, and starts the same command again.
  public void killAndRestart() {
    kill();
    process = spawn();
  }

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

  /// The end of its log, for a person who must see why it failed.
  public String lastLines(int lines) {
    try {
      List<String> all = Files.readString(log).lines().toList();
      return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
    } catch (IOException e) {
      return "(no log: " + e + ")";
    }
  }
}
