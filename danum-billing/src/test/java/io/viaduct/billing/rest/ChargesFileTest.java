package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.service.operations.Garbage;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Reads a very large file of charges as slowly as a slow client.
class ChargesFileTest {
  private static final int CHARGES = 200_000;
  private static final Instant FIRST = Instant.parse("2026-03-01T00:00:00Z");

  /// Largest growth of the live heap during the export, in bytes. It covers a page of 500 charges,
  /// connection buffers, and the rest of the JVM. The file has more than 50 MB.
  private static final long GROWTH_MAX = 16 * 1024 * 1024;

  private static RunningBilling billing;
  private static String account;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, new ManualClock());
    account = "many-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(billing.operator(), account);
    ChargesOnFile.addMany(account, CHARGES, FIRST);
  }

  @AfterAll
  static void stop() {
    ChargesOnFile.remove(account);
    billing.close();
  }

  private static long liveHeap() {
    Garbage.collect();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  @Test
  void aFileOfVeryManyChargesIsWrittenPageByPageInBoundedMemory() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(billing.uri("/api/v1/accounts/" + account + "/charges.csv"))
            .header("Authorization", "Bearer " + billing.operator())
            .build();
    long before = liveHeap();
    List<Long> heaps = new ArrayList<>();
    long rows = 0;
    long bytes = 0;
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<java.io.InputStream> answer =
          http.send(request, HttpResponse.BodyHandlers.ofInputStream());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Length"))
          .as("its length is not known")
          .isEmpty();
      try (var lines =
          new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
        assertThat(lines.readLine()).startsWith("id,account,");
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          rows++;
          bytes += line.length() + 2;
          if (rows % 40_000 == 1) {
            heaps.add(liveHeap()); // the reader pauses, the server waits
          }
        }
      }
    }
    assertThat(rows).isEqualTo(CHARGES);
    assertThat(bytes).isGreaterThan(3 * GROWTH_MAX);
    assertThat(heaps).allSatisfy(heap -> assertThat(heap - before).isLessThan(GROWTH_MAX));
  }

  @Test
  void everyPageOfVeryManyChargesIsReadAlongAnIndex() {
    ChargeFilter all = ChargeFilter.of(account, "", "", "", "", "", "", "", "", "");
    String deep = Cursor.after(all.scope(), FIRST.toEpochMilli() * 1000 + 3_000_000_000_000L, 1);
    for (String cursor : new String[] {null, deep}) {
      Charges.Condition where = Charges.condition(all, cursor);
      List<Object> values = new ArrayList<>(where.values());
      values.add(Page.LIMIT_MAX + 1);
      String plan =
          String.join(
              "\n",
              SharedDatabase.jdbc()
                  .queryForList(
                      "explain " + Charges.SELECT + where.sql() + where.order(),
                      String.class,
                      values.toArray()));
      // The charges are in the partition of month 0; the others are empty, and merged in their
      // order.
      assertThat(plan)
          .contains("Index Scan")
          .doesNotContain(
              "Seq Scan on charge_before", "Seq Scan on charging_interval_before", "Sort  (cost");
    }
  }
}
