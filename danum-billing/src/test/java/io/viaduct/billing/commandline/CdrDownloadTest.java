package io.viaduct.billing.commandline;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.commandline.CommandRun.Person;
import io.viaduct.billing.mediation.PostedReports;
import io.viaduct.billing.mediation.Reports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A file of charging data records in the form of 3GPP: from a posted report to another system.
class CdrDownloadTest {
  private final String account = "cdr-" + UUID.randomUUID().toString().substring(0, 8);
  private final ManualClock clock = new ManualClock();

  @Test
  void aDownloadThatWasCutOffGoesOnWhereItStopped(@TempDir Path folder) throws Exception {
    Path written = Files.createDirectory(folder.resolve("cdr"));
    Path taken = Files.createDirectory(folder.resolve("taken"));
    Path home = Files.createDirectory(folder.resolve("home"));
    try (RunningBilling billing =
        RunningBilling.start(
            folder, clock, "cdr: {directory: '" + written + "', format: 3GPP, open-time: 1s}")) {
      billing.openAccount(billing.operator(), account);
      PostedReports.postEarlier(account, Reports.workedExample()); // its grace time is over
      clock.advance(Duration.ofMinutes(2)); // the file has been open for long enough
      await().atMost(Duration.ofSeconds(30)).until(() -> withAccount(written).isPresent());
      Path file = withAccount(written).orElseThrow();
      byte[] content = Files.readAllBytes(file);
      String number = file.getFileName().toString().replaceAll("^.*?_-_([0-9]+)\\..*$", "$1");
      Person operator = new Person(billing, home, RunningBilling.OPERATOR_PASSWORD, clock);
      operator.run("login", "--user", "operator").succeeds();

      Path part = taken.resolve(file.getFileName() + ".part");
      byte[] begun = Arrays.copyOf(content, content.length / 2);
      byte[] other = begun.clone();
      other[0] ^= 1;
      Files.write(part, other);
      CommandRun wrong = operator.run("cdr-files", "get", number, "--directory", taken.toString());
      assertThat(wrong.err()).as("what was there is kept, not taken again").contains("SHA-256");
      assertThat(wrong.code()).isEqualTo(66);

      Files.write(part, begun);
      operator.run("cdr-files", "get", number, "--directory", taken.toString()).succeeds();
      assertThat(taken.resolve(file.getFileName())).hasBinaryContent(content);
      assertThat(part).doesNotExist();
    } finally {
      SharedDatabase.jdbc().update("update cdr_export set enabled = false");
    }
  }

  private Optional<Path> withAccount(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".cdr")).toList()) {
        if (new String(Files.readAllBytes(file), ISO_8859_1).contains(account)) {
          return Optional.of(file);
        }
      }
    }
    return Optional.empty();
  }
}
