package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.UsageReport;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two billing instances on one PostgreSQL.
class SecondInstanceTest {
  private static final ManualClock CLOCK = new ManualClock();
  @TempDir private static Path folder;
  private static RunningBilling first;
  private static RunningBilling second;

  @BeforeAll
  static void start() throws Exception {
    first = RunningBilling.start(Files.createDirectory(folder.resolve("first")), CLOCK);
    second = RunningBilling.start(Files.createDirectory(folder.resolve("second")), CLOCK);
  }

  @AfterAll
  static void stop() {
    first.close();
    second.close();
  }

  private static CompletableFuture<List<String>> events(RunningBilling at, String id, String token)
      throws Exception {
    HttpResponse<Stream<String>> stream =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(at.uri("/api/v1/accounts/" + id + "/events"))
                    .header("Authorization", "Bearer " + token)
                    .build(),
                HttpResponse.BodyHandlers.ofLines());
    return CompletableFuture.supplyAsync(() -> {
      try (Stream<String> lines = stream.body()) {
        return lines
            .filter(line -> line.startsWith("event:") || line.startsWith("data:"))
            .limit(8) // the balance; two charges and the balance after them
            .toList();
      }
    });
  }

  @Test
  void aChargePostedByOneInstanceIsStreamedOnceByEach() throws Exception {
    String id = "nina-" + UUID.randomUUID().toString().substring(0, 8);
    first.openAccount(first.operator(), id);
    String token = first.logIn(id, "password-of-" + id);
    CompletableFuture<List<String>> atFirst = events(first, id, token);
    CompletableFuture<List<String>> atSecond = events(second, id, token);
    UsageReport report =
        Reports.report(
                "snapt-acme",
                UUID.randomUUID().toString(),
                1,
                0,
                id,
                CLOCK.instant(),
                Reports.workedExample())
            .build();
    assertThat(MediationCalls.asBridge(first, CLOCK.instant(), report))
        .extracting(ReportAck::getVerdict)
        .containsExactly(ReportVerdict.POSTED);
    for (CompletableFuture<List<String>> stream : List.of(atFirst, atSecond)) {
      List<String> lines = stream.get(20, TimeUnit.SECONDS);
      assertThat(lines)
          .filteredOn(line -> line.startsWith("event:"))
          .containsExactly("event:balance", "event:charge", "event:charge", "event:balance");
      assertThat(lines.getLast()).contains("\"postedMicrodenarii\":\"-34348658\"");
    }
  }
}
