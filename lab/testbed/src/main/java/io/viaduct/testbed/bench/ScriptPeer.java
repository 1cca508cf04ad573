package io.viaduct.testbed.bench;

import io.viaduct.testbed.process.ServiceProcess;
import io.viaduct.testbed.topology.Command;
import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Another tunnel, described by a script of the folder `peers`. Its inner network is
/// 10.99.`number`.0/24.
final class ScriptPeer implements Peer {
  private static final int FIRST_PORT = 52000;
  private static final int LOG_LINES_SHOWN = 2;

  private final String name;
  private final Role role;
  private final int number;
  private final BenchNetwork network;
  private final Path directory;
  private @Nullable ServiceProcess far;
  private @Nullable ServiceProcess near;

  ScriptPeer(String name, Role role, int number, BenchNetwork network, Path directory) {
    this.name = name;
    this.role = role;
    this.number = number;
    this.network = network;
    this.directory = directory;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Role role() {
    return role;
  }

  @Override
  public String note() {
    return Command.run(call("about").toArray(String[]::new));
  }

  @Override
  public void start() throws IOException {
    String missing = Command.run(call("missing").toArray(String[]::new)).strip();
    if (!missing.isEmpty()) {
      throw new IllegalStateException("not installed: " + missing);
    }
    Files.createDirectories(work());
    Command.run(call("keys").toArray(String[]::new));
    far = launch("far", network.far());
    startNear();
  }

  @Override
  public void startNear() {
    near = launch("near", network.device());
  }

  private ServiceProcess launch(String side, NetworkNamespace namespace) {
    var process = ServiceProcess.start(name + "-" + side, namespace, call("run", side), directory);
    try {
      namespace.run(call("up", side).toArray(String[]::new));
    } catch (IllegalStateException e) {
      process.kill();
      throw new IllegalStateException(
          "its %s end does not start: %s".formatted(side, process.lastLines(LOG_LINES_SHOWN)), e);
    }
    return process;
  }

  /// Returns the command that calls a function of the script, with the variables that it may use.
  private List<String> call(String... words) {
    var command =
        new ArrayList<>(
            List.of(
                "env",
                "tun_near=bench" + number + "n",
                "tun_far=bench" + number + "f",
                "inner_far=" + target(),
                "inner_near=10.99." + number + ".2",
                "outer=" + BenchNetwork.FAR,
                "port=" + (FIRST_PORT + number),
                "work=" + work(),
                "peers=" + scripts(),
                "sh",
                "-eu",
                "-c",
                ". \"$peers/prelude.sh\"; . \"$0\"; call \"$@\"",
                scripts().resolve(name + ".sh").toString()));
    command.addAll(List.of(words));
    return command;
  }

  private Path scripts() {
    return directory.resolve("peers");
  }

  private Path work() {
    return directory.resolve("peer-" + name);
  }

  @Override
  public String target() {
    return "10.99." + number + ".1";
  }

  @Override
  public List<Long> nearProcesses() {
    return tree(near);
  }

  @Override
  public List<Long> farProcesses() {
    return tree(far);
  }

  /// Returns the process and all its descendants.
  private static List<Long> tree(@Nullable ServiceProcess process) {
    if (process == null) {
      return List.of();
    }
    return ProcessHandle.of(process.id()).stream()
        .flatMap(root -> Stream.concat(Stream.of(root), root.descendants()))
        .map(ProcessHandle::pid)
        .toList();
  }

  @Override
  public void stopNear() {
    stop(near);
    near = null;
  }

  @Override
  public void close() {
    stopNear();
    stop(far);
    far = null;
  }

  private static void stop(@Nullable ServiceProcess process) {
    if (process != null) {
      tree(process).forEach(id -> ProcessHandle.of(id).ifPresent(ProcessHandle::destroyForcibly));
      process.kill();
    }
  }
}
