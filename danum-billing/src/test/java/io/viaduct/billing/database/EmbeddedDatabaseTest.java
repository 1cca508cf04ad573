package io.viaduct.billing.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.billing.SharedDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class EmbeddedDatabaseTest {
  @TempDir Path home;

  private EmbeddedDatabase start() throws Exception {
    return EmbeddedDatabase.start(home, SharedDatabase.BINARIES, EmbeddedDatabase.Durability.FAST);
  }

  private static Connection connect(DatabaseAddress address) throws SQLException {
    return DriverManager.getConnection(address.url(), address.user(), address.password());
  }

  @Test
  void dataOutlivesTheProcessAndAnOrphanIsStoppedByTheNextStart() throws Exception {
    try (EmbeddedDatabase first = start()) {
      try (Connection connection = connect(first.access().owner());
          Statement statement = connection.createStatement()) {
        statement.execute("create table kept as select 42 as n");
      }
      assertThatThrownBy(this::start).hasMessageContaining("held by another billing process");
      try (EmbeddedDatabase joined = EmbeddedDatabase.joinOrStart(home, SharedDatabase.BINARIES)) {
        assertThat(joined.access()).isEqualTo(first.access());
      }
      assertThat(OrphanedPostmaster.port(home.resolve("cluster"))).isPresent();
    }
    assertThat(OrphanedPostmaster.port(home.resolve("cluster"))).isEmpty();

    // A SIGKILL of billing leaves a postmaster whose lock nobody holds.
    Process orphan = orphan();
    try (EmbeddedDatabase again = start()) {
      assertThat(orphan.onExit().get(20, TimeUnit.SECONDS).exitValue()).isZero();
      try (Connection connection = connect(again.access().owner());
          Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("select n from kept")) {
        assertThat(row.next()).isTrue();
        assertThat(row.getInt(1)).isEqualTo(42);
      }
    }
  }

  private Process orphan() throws Exception {
    Path postgres;
    try (var versions = Files.list(SharedDatabase.BINARIES)) {
      postgres = versions.findFirst().orElseThrow().resolve("bin/postgres");
    }
    boolean root = "root".equals(System.getProperty("user.name"));
    ProcessBuilder builder =
        root
            ? new ProcessBuilder("unshare", "-U", postgres.toString())
            : new ProcessBuilder(postgres.toString());
    builder
        .command()
        .addAll(java.util.List.of("-D", home.resolve("cluster").toString(), "-p", freePort()));
    builder.command().addAll(java.util.List.of("-c", "unix_socket_directories="));
    Process process =
        builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    org.awaitility.Awaitility.await()
        .until(() -> OrphanedPostmaster.port(home.resolve("cluster")).isPresent());
    return process;
  }

  private static String freePort() throws Exception {
    try (java.net.ServerSocket socket = new java.net.ServerSocket(0)) {
      return Integer.toString(socket.getLocalPort());
    }
  }

  @Test
  void aKilledFirstStartIsRepeatedAndEveryConnectionNeedsThePassword() throws Exception {
    Files.createDirectories(home.resolve("cluster"));
    Files.writeString(home.resolve("cluster/PG_VERSION"), "18\n");
    try (EmbeddedDatabase database = start()) {
      assertThat(Files.getPosixFilePermissions(home.resolve("password")))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
      assertThat(database.access().application().toString())
          .doesNotContain(database.access().application().password());
      for (String role : new String[] {"danum", "danum_application", "postgres"}) {
        assertThatThrownBy(() ->
                DriverManager.getConnection(database.access().application().url(), role, "guess"))
            .isInstanceOf(SQLException.class)
            .hasMessageContaining("password authentication failed");
      }
      try (Connection connection = connect(database.access().application());
          Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "select rolsuper from pg_roles where rolname = current_user")) {
        row.next();
        assertThat(row.getBoolean(1)).isFalse();
      }
    }
  }

  @Test
  void aPidFileOfAnotherProcessIsIgnored() throws Exception {
    Path cluster = Files.createDirectories(home.resolve("cluster"));
    Files.writeString(
        cluster.resolve("postmaster.pid"), ProcessHandle.current().pid() + "\nx\n0\n1\n");
    OrphanedPostmaster.stop(cluster);
    assertThat(OrphanedPostmaster.port(cluster)).isEmpty();
  }

  private static String mode(Path path) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static void chmod(Path path, String mode) throws Exception {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }

  @Test
  void aDirectoryOpenToOthersIsClosedWithEverythingUnpackedInIt() throws Exception {
    Path made = Files.createDirectory(home.resolve("made"));
    chmod(made, "rwxr-xr-x");
    Path binaries = Files.createDirectory(home.resolve("programs"));
    chmod(binaries, "rwxrwxrwx");
    try (EmbeddedDatabase _ =
        EmbeddedDatabase.start(made, binaries, EmbeddedDatabase.Durability.FAST)) {
      assertThat(mode(made)).isEqualTo("rwx------");
      assertThat(mode(made.resolve("cluster"))).isEqualTo("rwx------");
      assertThat(mode(binaries)).isEqualTo("rwx------");
      try (var unpacked = Files.list(binaries)) {
        for (Path version : unpacked.toList()) {
          assertThat(mode(version)).as(version.toString()).isEqualTo("rwx------");
        }
      }
      try (var tree = Files.walk(home)) {
        assertThat(tree.filter(path -> !Files.isSymbolicLink(path)))
            .allSatisfy(path ->
                assertThat(Files.getPosixFilePermissions(path))
                    .as(path.toString())
                    .doesNotContain(
                        java.nio.file.attribute.PosixFilePermission.OTHERS_WRITE,
                        java.nio.file.attribute.PosixFilePermission.GROUP_WRITE));
      }
    }
  }

  @Test
  void anOpenDirectoryWithForeignFilesIsRefusedAndUnchanged() throws Exception {
    Path shared = Files.createDirectory(home.resolve("shared"));
    Files.writeString(shared.resolve("letters.txt"), "dear");
    chmod(shared, "rwxr-xr-x");
    assertThatThrownBy(() ->
            EmbeddedDatabase.start(
                shared, SharedDatabase.BINARIES, EmbeddedDatabase.Durability.FAST))
        .hasMessageContainingAll("rwxr-xr-x", "'letters.txt'", "chmod 700 " + shared);
    assertThat(mode(shared)).isEqualTo("rwxr-xr-x");
    chmod(shared, "rwx------");
    EmbeddedDatabase.start(shared, SharedDatabase.BINARIES, EmbeddedDatabase.Durability.FAST)
        .close();
  }
}
