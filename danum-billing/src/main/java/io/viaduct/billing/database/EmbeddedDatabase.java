package io.viaduct.billing.database;

import io.micrometer.core.instrument.MeterRegistry;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.util.ArchUtils;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Base64;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs a PostgreSQL as a child process. All its files are in one directory: `cluster/` (the data),
/// `binaries/` (unpacked from the jar), `password`, `lock`.
///
/// Billing runs with a role that owns nothing, so it cannot change posted rows. Another role owns
/// the tables and migrates them. No connection is accepted without the password, which the roles
/// share: they protect the ledger from a faulty statement, and only the owner of the directory can
/// read the file.
public final class EmbeddedDatabase implements AutoCloseable {
  /// The database, and the role that owns it.
  private static final String OWNER = "danum";

  private static final String APPLICATION = "danum_application";
  private static final String SUPERUSER = "postgres";

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedDatabase.class);
  private static final int ANY_PORT = 0;
  private static final Set<String> OWN_NAMES =
      Set.of("cluster", "binaries", "launcher", "password", "password.new", "lock");
  private static final Duration START_PATIENCE = Duration.ofSeconds(60);

  /// The parameters of a start. They are used again to restart a postmaster that died.
  private record Launch(Path home, Path cluster, Path binaries, Durability durability) {}

  private final FileChannel lockFile;
  private final @Nullable Launch launch; // null where another process owns PostgreSQL
  private final DatabaseAccess access;
  private @Nullable EmbeddedPostgres postgres; // guarded by this
  private @Nullable PostmasterWatch watch; // guarded by this
  private boolean isClosed; // guarded by this

  private EmbeddedDatabase(
      FileChannel lockFile,
      @Nullable Launch launch,
      @Nullable EmbeddedPostgres postgres,
      DatabaseAccess access) {
    this.lockFile = lockFile;
    this.launch = launch;
    this.postgres = postgres;
    this.access = access;
  }

  /// The failures that a committed transaction survives.
  public enum Durability {
    /// A power failure.
    DURABLE,
    /// A killed process, but no failure of the machine: for tests.
    FAST
  }

  /// Starts PostgreSQL on a directory, which is created if it is missing.
  ///
  /// @param binaries directory into which the programs are unpacked; may be shared
  /// @throws IOException if another billing process holds the directory, or PostgreSQL fails
  public static EmbeddedDatabase start(Path directory, Path binaries, Durability durability)
      throws IOException {
    Path home = prepare(directory);
    FileChannel lockFile = open(home.resolve("lock"));
    try {
      if (lock(lockFile) == null) {
        throw new IOException(
            "data directory %s is held by another billing process".formatted(home));
      }
      Path cluster = home.resolve("cluster");
      OrphanedPostmaster.stop(cluster);
      if (!Files.exists(home.resolve("password"))) {
        delete(cluster); // incomplete: the process was killed during its first start
      }
      PrivateDirectory.make(binaries, name -> name.startsWith("PG-"));
      removeIncompletePrograms(binaries);
      Launch launch = new Launch(home, cluster, binaries, durability);
      EmbeddedPostgres postgres = launch(launch, ANY_PORT);
      setPasswordOnce(home, cluster, postgres);
      return new EmbeddedDatabase(
          lockFile, launch, postgres, access(postgres.getPort(), password(home)));
    } catch (IOException | RuntimeException e) {
      lockFile.close();
      throw e;
    }
  }

  /// Connects to the PostgreSQL of a directory if a billing process runs it. Starts one otherwise.
  public static EmbeddedDatabase joinOrStart(Path directory, Path binaries) throws IOException {
    Path home = prepare(directory);
    FileChannel lockFile = open(home.resolve("lock"));
    try (FileLock free = lock(lockFile)) {
      if (free == null) {
        int port =
            OrphanedPostmaster.port(home.resolve("cluster"))
                .orElseThrow(() -> new IOException("PostgreSQL of " + home + " is starting"));
        return new EmbeddedDatabase(lockFile, null, null, access(port, password(home)));
      }
    }
    lockFile.close();
    return start(directory, binaries, Durability.DURABLE);
  }

  /// Returns the owner's address in the PostgreSQL that runs on a directory; empty if none does.
  /// Changes nothing.
  public static Optional<DatabaseAddress> running(Path directory) throws IOException {
    Path home = directory.toAbsolutePath().normalize();
    Optional<Integer> port = OrphanedPostmaster.port(home.resolve("cluster"));
    return port.isPresent() && Files.exists(home.resolve("password"))
        ? Optional.of(address(port.get(), OWNER, password(home)))
        : Optional.empty();
  }

  /// Returns the roles that billing connects with.
  public DatabaseAccess access() {
    return access;
  }

  private static Path prepare(Path directory) throws IOException {
    Path home = directory.toAbsolutePath().normalize();
    PrivateDirectory.make(home, OWN_NAMES::contains);
    return home;
  }

  private static @Nullable FileLock lock(FileChannel file) throws IOException {
    try {
      return file.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // this process holds it already
    }
  }

  private static FileChannel open(Path lock) throws IOException {
    return FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  // A process that was killed while unpacking leaves an incomplete directory, and the launcher
  // would use it as it is. A process that is unpacking now holds the lock.
  private static void removeIncompletePrograms(Path binaries) throws IOException {
    if (!Files.isDirectory(binaries)) {
      return;
    }
    try (Stream<Path> versions = Files.list(binaries)) {
      for (Path version : versions.filter(v -> !Files.exists(v.resolve(".exists"))).toList()) {
        Path lock = version.resolve("epg-lock");
        boolean abandoned;
        try (FileChannel channel = open(lock);
            FileLock free = lock(channel)) {
          abandoned = free != null;
        }
        if (abandoned) {
          delete(version);
        }
      }
    }
  }

  private static void delete(Path tree) throws IOException {
    if (Files.exists(tree)) {
      try (Stream<Path> files = Files.walk(tree)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static EmbeddedPostgres launch(Launch launch, int port) throws IOException {
    Path home = launch.home();
    // Without this, the launcher would put its working directory at /tmp/embedded-pg.
    System.setProperty("ot.epg.working-dir", home.resolve("launcher").toString());
    String durable = launch.durability() == Durability.DURABLE ? "on" : "off";
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder()
            .setDataDirectory(launch.cluster())
            .setPort(port)
            .setCleanDataDirectory(false)
            .setRegisterShutdownHook(false)
            .setOverrideWorkingDirectory(launch.binaries().toAbsolutePath().toFile())
            .setPgBinaryResolver(EmbeddedDatabase::packedBinaries)
            .setPGStartupWait(START_PATIENCE)
            .setLocaleConfig("locale", "C.UTF-8")
            // The launcher's defaults may lose the last commits; billing must not lose money.
            .setServerConfig("fsync", durable)
            .setServerConfig("synchronous_commit", durable)
            .setServerConfig("full_page_writes", durable)
            .setServerConfig("unix_socket_directories", "")
            .setServerConfig("listen_addresses", "127.0.0.1")
            .setServerConfig("password_encryption", "scram-sha-256")
            .setServerConfig("max_connections", "220")
            // PostgreSQL writes its own log: a pipe to this process would break when this process
            // is killed.
            .setServerConfig("logging_collector", "on")
            .setServerConfig("log_filename", "postgresql-%a.log")
            .setServerConfig("log_truncate_on_rotation", "on")
            .setServerConfig("log_timezone", "UTC");
    if (Files.exists(home.resolve("password"))) {
      builder.setConnectConfig("password", password(home));
    }
    EmbeddedPostgres started = builder.start();
    // The launcher makes both directory levels writable for everybody. The level above was closed
    // before.
    PrivateDirectory.closeWithChildren(launch.binaries());
    return started;
  }

  // The launcher's own search refuses a class path that holds the same archive twice.
  private static InputStream packedBinaries(String system, String machine) throws IOException {
    String name =
        "/postgres-%s-%s.txz"
            .formatted(system.toLowerCase(Locale.ROOT), ArchUtils.normalize(machine));
    InputStream packed = EmbeddedDatabase.class.getResourceAsStream(name);
    if (packed == null) {
      throw new IOException(
          "this build has no PostgreSQL for %s on %s; name your own one with database.url"
              .formatted(system, machine));
    }
    return packed;
  }

  // Until the password is set, the first start accepts any connection. The database is still empty
  // then.
  private static void setPasswordOnce(Path home, Path cluster, EmbeddedPostgres postgres)
      throws IOException {
    Path passwordFile = home.resolve("password");
    if (Files.exists(passwordFile)) {
      return;
    }
    byte[] random = new byte[24];
    new SecureRandom().nextBytes(random);
    String password = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    DataSource superuser = postgres.getPostgresDatabase();
    try (Connection connection = superuser.getConnection();
        Statement statement = connection.createStatement()) {
      // The alphabet of base64url needs no quoting.
      statement.execute("create role %s login password '%s'".formatted(OWNER, password));
      statement.execute("create database %s owner %s".formatted(OWNER, OWNER));
      statement.execute("alter role %s password '%s'".formatted(SUPERUSER, password));
      Files.writeString(
          cluster.resolve("pg_hba.conf"), "host all all 127.0.0.1/32 scram-sha-256\n");
      try (ResultSet reloaded = statement.executeQuery("select pg_reload_conf()")) {
        reloaded.next();
      }
    } catch (SQLException e) {
      throw new IOException("the set-up of the embedded PostgreSQL failed: " + e.getMessage(), e);
    }
    Path newPasswordFile = home.resolve("password.new");
    Files.deleteIfExists(newPasswordFile);
    Files.createFile(
        newPasswordFile,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(newPasswordFile, password);
    Files.move(newPasswordFile, passwordFile);
  }

  private static String password(Path home) throws IOException {
    return Files.readString(home.resolve("password")).strip();
  }

  private static DatabaseAccess access(int port, String password) throws IOException {
    makeApplicationRole(address(port, SUPERUSER, password));
    return new DatabaseAccess(address(port, APPLICATION, password), address(port, OWNER, password));
  }

  // A cluster of the version with one role gets the second one at its next start.
  private static void makeApplicationRole(DatabaseAddress superuser) throws IOException {
    try (Connection connection =
            DriverManager.getConnection(superuser.url(), superuser.user(), superuser.password());
        Statement statement = connection.createStatement()) {
      try (ResultSet found =
          statement.executeQuery("select from pg_roles where rolname = '" + APPLICATION + "'")) {
        if (found.next()) {
          return;
        }
      }
      statement.execute(
          "create role %s login password '%s'".formatted(APPLICATION, superuser.password()));
    } catch (SQLException e) {
      throw new IOException("the set-up of the embedded PostgreSQL failed: " + e.getMessage(), e);
    }
  }

  private static DatabaseAddress address(int port, String role, String password) {
    return new DatabaseAddress("jdbc:postgresql://127.0.0.1:" + port + "/" + OWNER, role, password);
  }

  /// Restarts the postmaster whenever it dies, until [#close]. The address stays the same.
  /// PostgreSQL recovers committed data from its write-ahead log.
  ///
  /// @param registry registry that counts the restarts
  public synchronized void supervise(MeterRegistry registry) {
    Launch ownLaunch = launch;
    if (ownLaunch != null && !isClosed && watch == null) {
      watch = new PostmasterWatch(ownLaunch.cluster(), this::restart, registry);
    }
  }

  private synchronized void restart() throws IOException {
    Launch ownLaunch = launch;
    if (isClosed || ownLaunch == null) {
      return;
    }
    EmbeddedPostgres dead = postgres;
    int port = URI.create(access.owner().url().substring("jdbc:".length())).getPort();
    if (dead != null) {
      postgres = null;
      dead.close(); // gives up its lock
    }
    OrphanedPostmaster.stop(ownLaunch.cluster());
    postgres = launch(ownLaunch, port);
  }

  /// Stops PostgreSQL if this process started it. A second call does nothing.
  @Override
  public void close() {
    PostmasterWatch watching;
    synchronized (this) {
      isClosed = true;
      watching = watch;
    }
    if (watching != null) {
      watching.close();
    }
    try {
      synchronized (this) {
        if (postgres != null) {
          postgres.close();
        }
        lockFile.close();
      }
    } catch (IOException e) {
      LOG.warn("embedded PostgreSQL did not stop cleanly: {}", e.toString());
    }
  }
}
