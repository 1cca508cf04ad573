package io.viaduct.billing.commandline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.commandline.CommandRun.Person;
import io.viaduct.billing.database.DatabaseAccess;
import io.viaduct.billing.database.DatabaseAddress;
import io.viaduct.billing.database.InstalledPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// A dump is restored on a fresh server, with roles that are made again and the credential key of
/// before, beside roots that were published after the dump.
@Timeout(300)
class RestoredBackupTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path home;
  private final ManualClock clock = new ManualClock();
  private final LocalDate first = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);

  private RunningBilling start(String name, InstalledPostgres server) throws Exception {
    DatabaseAccess access = InstalledPostgres.access("viaduct", server);
    return RunningBilling.start(
        Files.createDirectory(home.resolve(name)),
        clock,
        new DatabaseAccess(withPassword(access.application()), withPassword(access.owner())),
        "statements: {roots-directory: '" + home.resolve("roots") + "'}");
  }

  // This server trusts connections of the machine, and billing's configuration asks for passwords.
  private static DatabaseAddress withPassword(DatabaseAddress address) {
    return new DatabaseAddress(address.url(), address.user(), "unused");
  }

  private static InstalledPostgres server(Path programs, Path data) throws Exception {
    InstalledPostgres server = InstalledPostgres.create(programs, data);
    server.makeRoles();
    server.execute("create database viaduct owner viaduct_owner");
    return server;
  }

  private static void topUp(RunningBilling billing, String key) throws Exception {
    assertThat(
            billing
                .call(
                    "POST",
                    "/api/v1/accounts/alice/top-ups",
                    billing.operator(),
                    "{\"amountMicrodenarii\":\"2000000\",\"reference\":\"invoice\"}",
                    Map.of("Idempotency-Key", key))
                .status())
        .isEqualTo(201);
  }

  private Person alice(RunningBilling billing) throws IOException {
    Person alice =
        new Person(billing, Files.createTempDirectory(home, "alice"), "password-of-alice", clock);
    alice.run("login", "--user", "alice").succeeds();
    return alice;
  }

  /// Returns a statement of alice with a number of receipts.
  private Path statement(Person alice, String name, int receipts) {
    Path file = home.resolve(name);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          Files.deleteIfExists(file);
          alice.run("statement", "--signed", "--out", file.toString()).succeeds();
          assertThat(Files.readAllLines(file))
              .filteredOn(line -> line.contains("\"type\":\"receipt\""))
              .hasSize(receipts);
        });
    return file;
  }

  private List<String> rootFiles() throws IOException {
    try (Stream<Path> files = Files.list(home.resolve("roots"))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private void nextDay(int files) {
    clock.advance(Duration.ofDays(1));
    await().atMost(PATIENCE).until(() -> rootFiles().size() == files);
  }

  private static List<String> publishedDays(RunningBilling billing) throws Exception {
    return billing
        .get("/api/v1/statement-roots", null)
        .body()
        .get("roots")
        .valueStream()
        .map(root -> root.get("day").asString())
        .toList();
  }

  @Test
  void aRestoredDumpContradictsNoPublishedRootUntilAnOperatorHasDecided() throws Exception {
    Optional<Path> programs = InstalledPostgres.programs();
    assumeTrue(programs.isPresent(), "needs an installed PostgreSQL: initdb and pg_dump");
    Files.createDirectory(home.resolve("roots"));
    Path dump = home.resolve("viaduct.dump");
    clock.advance(
        Duration.between(
            clock.instant(),
            first.plusDays(1).atTime(1, 0).toInstant(ZoneOffset.UTC))); // never beside midnight
    LocalDate day = first.plusDays(1);
    Path kept;
    String key;
    InstalledPostgres lost = server(programs.orElseThrow(), home.resolve("lost"));
    try (RunningBilling billing = start("before", lost)) {
      billing.openAccount(billing.operator(), "alice");
      topUp(billing, "1");
      statement(alice(billing), "first.jsonl", 1);
      nextDay(1);
      lost.client("pg_dump", "--format=custom", "--file=" + dump, "viaduct");
      topUp(billing, "2"); // after the dump
      Person alice = alice(billing);
      statement(alice, "second.jsonl", 2);
      nextDay(2);
      kept = statement(alice(billing), "kept.jsonl", 2);
      JsonNode check = alice.run("verify-statement", kept.toString(), "--json").succeeds().json();
      key = check.at("/billingKeys/0").asString();
    } finally {
      lost.kill();
    }
    String published = Files.readString(home.resolve("roots").resolve(day.plusDays(1) + ".json"));

    try (InstalledPostgres fresh = server(programs.orElseThrow(), home.resolve("fresh"))) {
      fresh.client("pg_restore", "--exit-on-error", "--dbname=viaduct", dump.toString());
      try (RunningBilling billing = start("after", fresh)) {
        await().atMost(PATIENCE).until(() -> billing.counter("viaduct_roots_ahead") == 1);
        topUp(billing, "3");
        await().atMost(PATIENCE).until(() -> billing.counter("viaduct_receipts_waiting") == 1);
        assertThat(publishedDays(billing)).containsExactly(day.toString());
        Person alice = alice(billing);
        Path restored = statement(alice, "restored.jsonl", 1);
        String name = restored.toString();
        assertThat(
                alice.run("verify-statement", name, "--billing-key", key).succeeds().out().strip())
            .endsWith("every rule holds");
        CommandRun compared =
            alice.run("verify-statement", name, "--roots", home.resolve("roots").toString());
        assertThat(compared.code()).isEqualTo(1);
        assertThat(compared.out())
            .contains("PUBLISHED: the file does not have the root of " + day.plusDays(1));

        Path apart = Files.createDirectory(home.resolve("apart"));
        Files.move(
            home.resolve("roots").resolve(day.plusDays(1) + ".json"),
            apart.resolve(day.plusDays(1) + ".json"));
        await().atMost(PATIENCE).until(() -> billing.counter("viaduct_roots_ahead") == 0);
        statement(alice, "goes-on.jsonl", 2);
        await().atMost(PATIENCE).until(() -> rootFiles().size() == 2);
        assertThat(Files.readString(home.resolve("roots").resolve(day.plusDays(1) + ".json")))
            .isNotEqualTo(published);
        assertThat(
                alice
                    .run("verify-statement", kept.toString(), "--billing-key", key)
                    .succeeds()
                    .out())
            .as("both files are signed: the user can show the contradiction")
            .contains("numbers 1 to 2");
      }
    }
  }
}
