package io.viaduct.billing.database;

import io.micrometer.core.instrument.MeterRegistry;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Base64;
import java.util.Comparator;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A real PostgreSQL as a child process, with its data in one directory: `cluster/` (the data),
/// `binaries/` (unpacked from the jar), `password`, `lock`.
///
/// Billing's role in it is not a superuser, so that what is revoked is revoked; every connection
/// needs the password, which only the owner of the directory can read.
public final class EmbeddedDatabase implements AutoCloseable {
  /// Role and database of billing.
  private static final String ROLE = "danum";

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedDatabase.class);
  private static final int ANY_PORT = 0;
  private static final Set<String> OWN_NAMES =
      Set.of("cluster", "binaries", "launcher", "password", "password.new", "lock");
  private static final Duration START_PATIENCE = Duration.ofSeconds(60);

  /// What a start needs; the same again when the postmaster has died.
  private record Launch(Path home, Path cluster, Path binaries, Durability durability) {}

  private final FileChannel lockFile;
  private final @Nullable Launch launch; // null where another process owns PostgreSQL
  private final DatabaseAddress address;
  private @Nullable EmbeddedPostgres postgres; // guarded by this
  private @Nullable PostmasterWatch watch; // guarded by this
  private boolean closed; // guarded by this

  private EmbeddedDatabase(
      FileChannel lockFile,
      @Nullable Launch launch,
      @Nullable EmbeddedPostgres postgres,
      DatabaseAddress address) {
    this.lockFile = lockFile;
    this.launch = launch;
    this.postgres = postgres;
    this.address = address;
  }

  /// How durable a commit is.
  public enum Durability {
    /// survives a power cut
    DURABLE,
    /// survives the processes, not the machine: for tests
    FAST
  }

  /// Starts PostgreSQL on a directory, which is created if it is missing.
  ///
  /// @param binaries where its programs are unpacked; may be shared
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
        delete(cluster); // a process that was killed in its first start left a part
      }
      PrivateDirectory.make(binaries, name -> name.startsWith("PG-"));
      removeHalfUnpacked(binaries);
      Launch launch = new Launch(home, cluster, binaries, durability);
      EmbeddedPostgres postgres = launch(launch, ANY_PORT);
      return new EmbeddedDatabase(lockFile, launch, postgres, openDoors(home, cluster, postgres));
    } catch (IOException | RuntimeException e) {
      lockFile.close();
      throw e;
    }
  }

  /// Joins the PostgreSQL of a directory if a billing process runs it, else starts one.
  public static EmbeddedDatabase joinOrStart(Path directory, Path binaries) throws IOException {
    Path home = prepare(directory);
    FileChannel lockFile = open(home.resolve("lock"));
    try (FileLock free = lock(lockFile)) {
      if (free == null) {
        int port =
            OrphanedPostmaster.port(home.resolve("cluster"))
                .orElseThrow(() -> new IOException("PostgreSQL of " + home + " is starting"));
        return new EmbeddedDatabase(lockFile, null, null, address(port, password(home)));
      }
    }
    lockFile.close();
    return start(directory, binaries, Durability.DURABLE);
  }

  /// Where billing connects.
  public DatabaseAddress address() {
    return address;
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
      return null; // held by this very process
    }
  }

  private static FileChannel open(Path lock) throws IOException {
    return FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  // A process that was killed while it unpacked leaves a part, and its unpacker would skip it. One
  // that unpacks right now holds the lock.
  private static void removeHalfUnpacked(Path binaries) throws IOException {
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
    // The launcher keeps a directory of its own there, which would be /tmp/embedded-pg.
    System.setProperty("ot.epg.working-dir", home.resolve("launcher").toString());
    String durable = launch.durability() == Durability.DURABLE ? "on" : "off";
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder()
            .setDataDirectory(launch.cluster())
            .setPort(port)
            .setCleanDataDirectory(false)
            .setRegisterShutdownHook(false)
            .setOverrideWorkingDirectory(launch.binaries().toAbsolutePath().toFile())
            .setPGStartupWait(START_PATIENCE)
            .setLocaleConfig("locale", "C.UTF-8")
            // The launcher's own defaults favour speed over the last commits; money wants them.
            .setServerConfig("fsync", durable)
            .setServerConfig("synchronous_commit", durable)
            .setServerConfig("full_page_writes", durable)
            .setServerConfig("unix_socket_directories", "")
            .setServerConfig("listen_addresses", "127.0.0.1")
            .setServerConfig("password_encryption", "scram-sha-256")
            .setServerConfig("max_connections", "220")
            // A log of its own: a pipe to this process would break when this process is killed.
            .setServerConfig("logging_collector", "on")
            .setServerConfig("log_filename", "postgresql-%a.log")
            .setServerConfig("log_truncate_on_rotation", "on")
            .setServerConfig("log_timezone", "UTC");
    if (Files.exists(home.resolve("password"))) {
      builder.setConnectConfig("password", password(home));
    }
    EmbeddedPostgres started = builder.start();
    // The launcher lets everybody write to both levels; the one above was closed before.
    PrivateDirectory.closeWithChildren(launch.binaries());
    return started;
  }

  // The first start runs open for the moment that it takes to set the password; nothing is in it.
  private static DatabaseAddress openDoors(Path home, Path cluster, EmbeddedPostgres postgres)
      throws IOException {
    Path passwordFile = home.resolve("password");
    if (Files.exists(passwordFile)) {
      return address(postgres.getPort(), password(home));
    }
    byte[] random = new byte[24];
    new SecureRandom().nextBytes(random);
    String password = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    DataSource superuser = postgres.getPostgresDatabase();
    try (Connection connection = superuser.getConnection();
        Statement statement = connection.createStatement()) {
      // The alphabet of base64url needs no quoting.
      statement.execute("create role %s login password '%s'".formatted(ROLE, password));
      statement.execute("create database %s owner %s".formatted(ROLE, ROLE));
      statement.execute("alter role postgres password '%s'".formatted(password));
      Files.writeString(
          cluster.resolve("pg_hba.conf"), "host all all 127.0.0.1/32 scram-sha-256\n");
      try (ResultSet reloaded = statement.executeQuery("select pg_reload_conf()")) {
        reloaded.next();
      }
    } catch (SQLException e) {
      throw new IOException("embedded PostgreSQL refuses its own set-up: " + e.getMessage(), e);
    }
    Path half = home.resolve("password.new");
    Files.deleteIfExists(half);
    Files.createFile(
        half, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(half, password);
    Files.move(half, passwordFile);
    return address(postgres.getPort(), password);
  }

  private static String password(Path home) throws IOException {
    return Files.readString(home.resolve("password")).strip();
  }

  private static DatabaseAddress address(int port, String password) {
    return new DatabaseAddress("jdbc:postgresql://127.0.0.1:" + port + "/" + ROLE, ROLE, password);
  }

  /// Has the postmaster started again whenever it dies, until [#close]. Connections are told the
  /// same address; PostgreSQL itself recovers what was committed from its log.
  ///
  /// @param registry where restarts are counted
  public synchronized void supervise(MeterRegistry registry) {
    Launch ours = launch;
    if (ours != null && !closed && watch == null) {
      watch = new PostmasterWatch(ours.cluster(), this::restart, registry);
    }
  }

  private synchronized void restart() throws IOException {
    Launch ours = launch;
    if (closed || ours == null) {
      return;
    }
    EmbeddedPostgres dead = postgres;
    int port = URI.create(address.url().substring("jdbc:".length())).getPort();
    if (dead != null) {
      postgres = null;
      dead.close(); // gives up its lock
    }
    OrphanedPostmaster.stop(ours.cluster());
    postgres = launch(ours, port);
  }

  /// Stops PostgreSQL if this process started it. A second call does nothing.
  @Override
  public void close() {
    PostmasterWatch watching;
    synchronized (this) {
      closed = true;
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
