package io.viaduct.billing.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds and stops a postmaster whose billing process was killed: PostgreSQL survives the SIGKILL
/// of its parent. It must stop before the next start, so that the data directory has one owner. The
/// first attempt is a fast shutdown, the second an immediate one.
final class OrphanedPostmaster {
  private static final Logger LOG = LoggerFactory.getLogger(OrphanedPostmaster.class);
  private static final Duration FAST_SHUTDOWN = Duration.ofSeconds(10);
  private static final Duration IMMEDIATE_SHUTDOWN = Duration.ofSeconds(5);

  private static final Duration POLL = Duration.ofMillis(50);

  private OrphanedPostmaster() {}

  /// Returns the port of the postmaster that runs on a cluster, if one runs.
  static Optional<Integer> port(Path cluster) throws IOException {
    Path file = cluster.resolve("postmaster.pid");
    if (find(cluster).isEmpty()) {
      return Optional.empty();
    }
    // postmaster.pid: pid, data directory, start time, port, ... (PostgreSQL miscadmin.h)
    List<String> lines = Files.readAllLines(file);
    return lines.size() < 4 ? Optional.empty() : Optional.of(Integer.valueOf(lines.get(3).strip()));
  }

  /// Stops the postmaster of a cluster, if one runs.
  static void stop(Path cluster) throws IOException {
    Optional<ProcessHandle> found = find(cluster);
    if (found.isPresent()) {
      ProcessHandle postmaster = found.get();
      LOG.warn("stopping orphaned postmaster {} of {}", postmaster.pid(), cluster);
      if (!signal(postmaster, cluster, "-INT", FAST_SHUTDOWN)
          && !signal(postmaster, cluster, "-QUIT", IMMEDIATE_SHUTDOWN)) {
        throw new IOException(
            "postmaster %d of %s does not stop: end it by hand"
                .formatted(postmaster.pid(), cluster));
      }
    }
  }

  private static Optional<ProcessHandle> find(Path cluster) throws IOException {
    Path file = cluster.resolve("postmaster.pid");
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    String first = Files.readString(file).lines().findFirst().orElse("").strip();
    if (!first.matches("[1-9][0-9]{0,9}")) {
      return Optional.empty();
    }
    return ProcessHandle.of(Long.parseLong(first)).filter(p -> serves(p, cluster));
  }

  // Process ids are reused: only a postgres that was started on this directory is ours.
  private static boolean serves(ProcessHandle process, Path cluster) {
    try {
      String[] arguments =
          Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline")).split("\0");
      return arguments[0].endsWith("postgres")
          && List.of(arguments).contains(cluster.toAbsolutePath().toString());
    } catch (IOException e) {
      return false; // it ended meanwhile
    }
  }

  // The empty command line shows that the process has ended. In a container without an init
  // process, an ended process stays in the process table.
  private static boolean signal(
      ProcessHandle process, Path cluster, String signal, Duration patience) throws IOException {
    try {
      new ProcessBuilder("kill", signal, Long.toString(process.pid())).start().waitFor();
      for (long waited = 0; serves(process, cluster); waited += POLL.toMillis()) {
        if (waited >= patience.toMillis()) {
          return false;
        }
        Thread.sleep(POLL);
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while stopping postmaster " + process.pid(), e);
    }
  }
}
