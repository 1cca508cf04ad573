package io.viaduct.testbed.sip;

import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.process.ServiceProcess;
import io.viaduct.testbed.topology.Command;
import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Kamailio as a registrar and proxy in memory, with as many workers as the machine has cores.
final class KamailioServer implements SipServer {
  static final String NAME = "kamailio";
  private static final int PORT = 5_160;
  private static final long PATIENCE_NS = 20_000_000_000L;

  private final NetworkNamespace namespace;
  private final Path directory;
  private @Nullable ServiceProcess process;

  KamailioServer(NetworkNamespace namespace, Path directory) {
    this.namespace = namespace;
    this.directory = directory;
  }

  static boolean isInstalled() {
    return Command.exists("kamailio");
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int port() {
    return PORT;
  }

  @Override
  public void start() throws Exception {
    String text =
        Sipp.resource("kamailio.cfg")
            .replace("@HOST@", Sipp.SERVER)
            .replace("@PORT@", Integer.toString(PORT))
            .replace("@DOMAIN@", Plans.DOMAIN)
            .replace("@WORKERS@", Integer.toString(Runtime.getRuntime().availableProcessors()));
    Path file = directory.resolve("kamailio.cfg");
    Files.writeString(file, text);
    List<String> command =
        List.of(
            "kamailio",
            "-f",
            file.toString(),
            "-DD",
            "-E",
            "-m",
            "256",
            "-M",
            "16",
            "-Y",
            directory.toString());
    ServiceProcess started = ServiceProcess.start(NAME, namespace, command, directory);
    process = started;
    long startNs = System.nanoTime();
    while (!Sipp.answers(namespace, PORT)) {
      if (!started.isAlive() || System.nanoTime() - startNs > PATIENCE_NS) {
        throw new IllegalStateException("Kamailio does not serve: " + started.lastLines(20));
      }
      LockSupport.parkNanos(100_000_000);
    }
  }

  /// Returns the main process and its workers.
  @Override
  public List<Long> processes() {
    ServiceProcess running = process;
    if (running == null) {
      return List.of();
    }
    List<Long> ids = new ArrayList<>(List.of(running.id()));
    try (Stream<ProcessHandle> children =
        ProcessHandle.of(running.id()).stream().flatMap(ProcessHandle::descendants)) {
      children.map(ProcessHandle::pid).forEach(ids::add);
    }
    return ids;
  }

  @Override
  public void close() {
    ServiceProcess running = process;
    if (running != null) {
      int code = running.stop();
      if (code != 0) {
        System.err.printf("bench sip: kamailio ended with %d%n", code);
      }
      process = null;
    }
    try {
      Files.deleteIfExists(directory.resolve("kamailio.cfg"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
