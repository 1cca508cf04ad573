package io.viaduct.testbed.chaos;

import io.viaduct.testbed.topology.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Billing's own PostgreSQL, seen from outside by its directory.
///
/// @param directory billing's data directory
record Postgres(Path directory) {
  private static final int PORT_LINE = 3; // lines of postmaster.pid: PostgreSQL, miscadmin.h

  private List<String> postmaster() throws IOException {
    return Files.readAllLines(directory.resolve("cluster/postmaster.pid"));
  }

  private long id() throws IOException {
    return Long.parseLong(postmaster().getFirst().strip());
  }

  /// Returns its TCP port on the loopback interface.
  int port() throws IOException {
    return Integer.parseInt(postmaster().get(PORT_LINE).strip());
  }

  /// Kills every process of it by SIGKILL.
  void kill() throws IOException {
    signal("KILL");
  }

  /// Stops it as `pg_ctl stop -m immediate` does: SIGQUIT to the postmaster.
  void stopImmediately() throws IOException {
    Command.run("kill", "-QUIT", Long.toString(id()));
  }

  /// Stops all its processes, which then neither answer nor close a connection (SIGSTOP).
  void freeze() throws IOException {
    signal("STOP");
  }

  /// Lets its processes go on.
  void thaw() throws IOException {
    signal("CONT");
  }

  private void signal(String name) throws IOException {
    ProcessHandle postmaster =
        ProcessHandle.of(id()).orElseThrow(() -> new IOException("no postmaster runs"));
    List<String> words = new ArrayList<>(List.of("kill", "-" + name));
    // The postmaster first: it must not start another process in place of one that is gone.
    Stream.concat(Stream.of(postmaster), postmaster.children())
        .forEach(process -> words.add(Long.toString(process.pid())));
    try {
      Command.run(words.toArray(String[]::new));
    } catch (IllegalStateException e) {
      // A process that ended meanwhile cannot be signalled; the others were.
    }
  }
}
