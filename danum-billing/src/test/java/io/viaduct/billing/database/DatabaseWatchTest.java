package io.viaduct.billing.database;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.service.logging.CapturedLog;
import io.viaduct.service.operations.Readiness;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A PostgreSQL that is frozen: it keeps its connections, and answers nothing.
@Timeout(120)
class DatabaseWatchTest {
  @TempDir Path home;

  private void signal(String name) throws Exception {
    Path postmaster = home.resolve("cluster/postmaster.pid");
    ProcessHandle first =
        ProcessHandle.of(Long.parseLong(Files.readAllLines(postmaster).getFirst())).orElseThrow();
    List<String> words = new ArrayList<>(List.of("kill", "-" + name));
    Stream.concat(Stream.of(first), first.children())
        .forEach(each -> words.add(Long.toString(each.pid())));
    assertThat(new ProcessBuilder(words).start().waitFor()).isZero();
  }

  @Test
  void aFrozenDatabaseIsNoticedAndItsReturnToo() throws Exception {
    Readiness readiness = new Readiness();
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (CapturedLog log = CapturedLog.of(DatabaseWatch.class.getName());
        EmbeddedDatabase database =
            EmbeddedDatabase.start(
                home, SharedDatabase.BINARIES, EmbeddedDatabase.Durability.FAST);
        HikariDataSource pool = Migrations.open(database.access(), 1);
        DatabaseWatch watch =
            new DatabaseWatch(Migrations.outsidePool(pool), readiness, registry)) {
      watch.ask();
      assertThat(readiness.ready()).isTrue();
      signal("STOP");
      try {
        watch.ask();
        assertThat(readiness.reasons())
            .containsExactly("database: it does not answer, reports are deferred");
        assertThat(registry.get("viaduct_database_reachable").gauge().value()).isZero();
      } finally {
        signal("CONT");
      }
      watch.ask();
      assertThat(readiness.ready()).isTrue();
      assertThat(registry.get("viaduct_database_reachable").gauge().value()).isOne();
      assertThat(log.lines("the database"))
          .containsExactly(
              "the database does not answer: reports are deferred, and SNAPTs keep them",
              "the database answers again");
    }
  }
}
