package io.viaduct.billing.database;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/// A PostgreSQL of the programs that this machine has installed, with its client programs, which
/// the packed PostgreSQL lacks. Connections from this machine need no password.
public final class InstalledPostgres implements AutoCloseable {
  private static final Path DEBIAN = Path.of("/usr/lib/postgresql");

  private final Path programs;
  private final Path data;
  private final int port;
  private final Process postmaster;

  private InstalledPostgres(Path programs, Path data, int port, Process postmaster) {
    this.programs = programs;
    this.data = data;
    this.port = port;
    this.postmaster = postmaster;
  }

  /// Returns the directory of the newest installed programs: of the search path, or of Debian.
  public static Optional<Path> programs() {
    Stream<Path> searched =
        Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"))
            .filter(directory -> !directory.isEmpty())
            .map(Path::of);
    return Stream.concat(searched, debian())
        .filter(directory -> Files.isExecutable(directory.resolve("initdb")))
        .filter(directory -> Files.isExecutable(directory.resolve("pg_basebackup")))
        .findFirst();
  }

  private static Stream<Path> debian() {
    if (!Files.isDirectory(DEBIAN)) {
      return Stream.empty();
    }
    try (Stream<Path> versions = Files.list(DEBIAN)) {
      return versions
          .sorted(Comparator.reverseOrder())
          .map(v -> v.resolve("bin"))
          .toList()
          .stream();
    } catch (IOException e) {
      return Stream.empty();
    }
  }

  /// Makes a cluster and starts it.
  ///
  /// @param settings of the start, such as `wal_level=replica`
  public static InstalledPostgres create(Path programs, Path data, String... settings)
      throws Exception {
    run(
        programs,
        "initdb",
        "-D",
        data.toString(),
        "-U",
        "postgres",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "-N");
    return start(programs, data, settings);
  }

  /// Starts a cluster.
  public static InstalledPostgres start(Path programs, Path data, String... settings)
      throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    List<String> command = command(programs, "postgres", "-D", data.toString(), "-p", port + "");
    command.addAll(List.of("-c", "unix_socket_directories=", "-c", "listen_addresses=127.0.0.1"));
    command.addAll(List.of("-c", "fsync=off")); // a killed process loses nothing; only power does
    for (String setting : settings) {
      command.addAll(List.of("-c", setting));
    }
    Process postmaster =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(data.resolveSibling(data.getFileName() + ".log").toFile())
            .start();
    InstalledPostgres started = new InstalledPostgres(programs, data, port, postmaster);
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(started::answers);
    return started;
  }

  private boolean answers() {
    try (Connection connection = connect("postgres")) {
      return connection.isValid(1);
    } catch (SQLException e) {
      if (!postmaster.isAlive()) {
        throw new IllegalStateException("PostgreSQL has ended: see the log beside " + data, e);
      }
      return false;
    }
  }

  // PostgreSQL refuses to run as root. In a user namespace root is an ordinary user.
  private static List<String> command(Path programs, String program, String... arguments) {
    List<String> command = new ArrayList<>();
    if ("root".equals(System.getProperty("user.name"))) {
      command.addAll(List.of("unshare", "-U"));
    }
    command.add(programs.resolve(program).toString());
    command.addAll(List.of(arguments));
    return command;
  }

  private static void run(Path programs, String program, String... arguments) throws Exception {
    Process process =
        new ProcessBuilder(command(programs, program, arguments)).redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(program + " fails: " + printed);
    }
  }

  /// Runs a client program on this server.
  public void client(String program, String... arguments) throws Exception {
    List<String> all =
        new ArrayList<>(List.of("-h", "127.0.0.1", "-p", Integer.toString(port), "-U", "postgres"));
    all.addAll(List.of(arguments));
    run(programs, program, all.toArray(String[]::new));
  }

  public int port() {
    return port;
  }

  /// Returns a connection of the superuser.
  public Connection connect(String database) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + port + "/" + database, "postgres", "");
  }

  /// Runs a statement as the superuser.
  public void execute(String sql) throws SQLException {
    try (Connection connection = connect("postgres");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /// Makes billing's two roles, as docs/operator.md says.
  public void makeRoles() throws SQLException {
    execute("create role viaduct_owner login");
    execute("create role viaduct login");
  }

  /// Ends it at once, as `kill -9` of its postmaster and of all its processes.
  public void kill() throws Exception {
    List<ProcessHandle> all = new ArrayList<>(postmaster.descendants().toList());
    postmaster.destroyForcibly();
    all.forEach(ProcessHandle::destroyForcibly);
    postmaster.waitFor();
  }

  @Override
  public void close() throws Exception {
    postmaster.destroy(); // SIGTERM waits for clients: only the pools of a test, which are closed
    if (!postmaster.waitFor(10, java.util.concurrent.TimeUnit.SECONDS)) {
      kill();
    }
  }

  /// Returns billing's roles on these servers: the first one that accepts changes is used.
  public static DatabaseAccess access(String database, InstalledPostgres... servers) {
    String hosts =
        String.join(",", Arrays.stream(servers).map(server -> "127.0.0.1:" + server.port).toList());
    String url =
        "jdbc:postgresql://%s/%s?targetServerType=primary&loginTimeout=2"
            .formatted(hosts, database);
    return new DatabaseAccess(
        new DatabaseAddress(url, "viaduct", ""), new DatabaseAddress(url, "viaduct_owner", ""));
  }
}
