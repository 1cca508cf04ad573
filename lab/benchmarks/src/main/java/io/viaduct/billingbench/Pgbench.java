package io.viaduct.billingbench;

import io.viaduct.billing.database.DatabaseAddress;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// PostgreSQL's own benchmark (TPC-B-like, scale 10) in a database beside billing's: the commits
/// that this machine's disk and this PostgreSQL are good for.
final class Pgbench {
  private static final String DATABASE = "pgbench";
  private static final Pattern TPS = Pattern.compile("tps = ([0-9.]+)");

  private final Path program;
  private final DatabaseAddress owner;

  private Pgbench(Path program, DatabaseAddress owner) {
    this.program = program;
    this.owner = owner;
  }

  /// Returns the program on the search path; empty if it is not installed.
  static Optional<Path> program() {
    return Stream.concat(
            Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"))
                .filter(directory -> !directory.isEmpty()),
            Stream.of("/usr/bin"))
        .map(directory -> Path.of(directory, "pgbench"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /// Makes the database, once.
  static Pgbench prepare(Path program, DatabaseAddress owner) throws IOException, SQLException {
    Pgbench pgbench = new Pgbench(program, owner);
    try (Connection connection =
            DriverManager.getConnection(owner.url(), "postgres", owner.password());
        Statement statement = connection.createStatement()) {
      try (var found =
          statement.executeQuery("select from pg_database where datname = '" + DATABASE + "'")) {
        if (found.next()) {
          return pgbench;
        }
      }
      statement.execute("create database " + DATABASE);
    }
    pgbench.call(List.of("--initialize", "--scale=10", "--quiet"));
    return pgbench;
  }

  /// Returns transactions per second of four clients.
  double transactionsPerSecond(int seconds) throws IOException {
    String printed = call(List.of("--client=4", "--jobs=2", "--time=" + seconds, "--no-vacuum"));
    Matcher tps = TPS.matcher(printed);
    if (!tps.find()) {
      throw new IOException("pgbench prints no rate: " + printed);
    }
    return Double.parseDouble(tps.group(1));
  }

  private String call(List<String> options) throws IOException {
    URI address = URI.create(owner.url().substring("jdbc:".length()));
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(options);
    command.addAll(
        List.of(
            "--host=" + address.getHost(),
            "--port=" + address.getPort(),
            "--username=postgres",
            DATABASE));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("PGPASSWORD", owner.password());
    Process process = builder.start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException("pgbench fails: " + printed);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return printed;
  }
}
