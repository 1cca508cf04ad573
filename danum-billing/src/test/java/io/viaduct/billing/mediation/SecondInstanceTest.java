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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
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

  private static BlockingQueue<String> events(RunningBilling at, String id, String token)
      throws Exception {
    HttpResponse<Stream<String>> stream =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(at.uri("/api/v1/accounts/" + id + "/events"))
                    .header("Authorization", "Bearer " + token)
                    .build(),
                HttpResponse.BodyHandlers.ofLines());
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    Thread.ofVirtual()
        .start(() ->
            stream
                .body()
                .filter(line -> line.startsWith("event:") || line.startsWith("data:"))
                .forEach(lines::add));
    return lines;
  }

  private static List<String> next(BlockingQueue<String> lines, int count) throws Exception {
    List<String> taken = new ArrayList<>();
    while (taken.size() < count) {
      String line = lines.poll(20, TimeUnit.SECONDS);
      assertThat(line).as("line after %s", taken).isNotNull();
      taken.add(line);
    }
    return taken;
  }

  private static void topUp(String id, long microdenarii) throws Exception {
    var posted =
        first.call(
            "POST",
            "/api/v1/accounts/" + id + "/top-ups",
            first.operator(),
            "{\"amountMicrodenarii\":\"%d\",\"reference\":\"cash\"}".formatted(microdenarii),
            Map.of("Idempotency-Key", UUID.randomUUID().toString()));
    assertThat(posted.status()).as(posted.raw().body()).isEqualTo(201);
  }

  private static void post(String id) throws Exception {
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
  }

  @Test
  void aChargePostedByOneInstanceIsStreamedOnceByEach() throws Exception {
    String id = "nina-" + UUID.randomUUID().toString().substring(0, 8);
    first.openAccount(first.operator(), id);
    String token = first.logIn(id, "password-of-" + id);
    topUp(id, 100_000_000); // enough, so that no notice of the credit comes between
    List<BlockingQueue<String>> streams =
        List.of(events(first, id, token), events(second, id, token));
    for (BlockingQueue<String> stream : streams) {
      assertThat(next(stream, 2)).startsWith("event:balance");
    }
    for (String balance : List.of("65651342", "31302684")) {
      post(id);
      for (BlockingQueue<String> stream : streams) {
        List<String> lines = next(stream, 6);
        assertThat(lines)
            .filteredOn(line -> line.startsWith("event:"))
            .containsExactly("event:charge", "event:charge", "event:balance");
        assertThat(lines.getLast()).contains("\"postedMicrodenarii\":\"" + balance + "\"");
      }
    }
  }

  @Test
  void aTopUpAtOneInstanceIsStreamedByTheOther() throws Exception {
    String id = "nina-" + UUID.randomUUID().toString().substring(0, 8);
    first.openAccount(first.operator(), id);
    BlockingQueue<String> stream = events(second, id, first.logIn(id, "password-of-" + id));
    next(stream, 2);
    topUp(id, 5_000_000);
    assertThat(next(stream, 2).getLast()).contains("\"postedMicrodenarii\":\"5000000\"");
  }
}
