package io.viaduct.billing.credit;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.usage.v1.ReportVerdict;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The query of each decision about credit, as PostgreSQL carries it out.
class CreditQueryTest {
  private static final ManualClock CLOCK = new ManualClock();
  private static final int FLOWS = 100;

  private static RunningBilling billing;
  private static CreditBridge bridge;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, CLOCK);
    bridge = new CreditBridge(billing, "ims-bridge");
  }

  @AfterAll
  static void stop() throws Exception {
    bridge.close();
    billing.close();
  }

  private static String granted(Duration lasting) throws Exception {
    String account = "query-" + UUID.randomUUID().toString().substring(0, 8);
    String operator = billing.operator();
    billing.openAccount(operator, account);
    assertThat(
            billing
                .call(
                    "POST",
                    "/api/v1/accounts/" + account + "/grants",
                    operator,
                    "{\"amountMicrodenarii\":\"10000000000\",\"expiresAt\":\"%s\",\"reason\":\"welcome\"}"
                        .formatted(CLOCK.instant().plus(lasting)),
                    Map.of("Idempotency-Key", account))
                .status())
        .isEqualTo(201);
    return account;
  }

  private static void charge(String account, long sequence, String session) {
    var report =
        Reports.report(
            "snapt-q",
            session,
            1,
            sequence,
            account,
            CLOCK.instant(),
            IntStream.range(0, FLOWS)
                .mapToObj(flow -> Reports.flow(flow + 1, "web", 9_000, 9_000, 140))
                .toList());
    assertThat(bridge.submit(report.build(), CLOCK.instant())).isEqualTo(ReportVerdict.POSTED);
    CLOCK.advance(Duration.ofMinutes(1));
  }

  // Sequential scans would be right for the small tables of a test, so they are forbidden.
  private static long rowsRead(String account, Instant now) {
    LocalDate today = LocalDate.ofInstant(now, ZoneOffset.UTC);
    String plan =
        SharedDatabase.transaction()
            .execute(_ -> {
              SharedDatabase.client().sql("set local enable_seqscan = off").update();
              return SharedDatabase.client()
                  .sql("explain (analyze, format json) " + CreditStore.SELECT)
                  .param("account", account)
                  .param("day", today)
                  .param("month", today.withDayOfMonth(1))
                  .param("now", Timestamp.from(now))
                  .query(String.class)
                  .single();
            });
    return rows(JsonMapper.shared().readTree(plan).get(0).get("Plan"));
  }

  private static long rows(JsonNode node) {
    double own =
        node.get("Node Type").asString().contains("Scan")
            ? node.get("Actual Rows").asDouble() + node.path("Rows Removed by Filter").asDouble()
            : 0;
    long all = Math.round(own * node.get("Actual Loops").asDouble());
    for (JsonNode child : node.path("Plans")) {
      all += rows(child);
    }
    return all;
  }

  @Test
  void itReadsNoMoreRowsAfterManyChargesAlsoWhenTheirWalletHasExpired() throws Exception {
    Duration lasting = Duration.ofDays(20);
    String used = granted(lasting);
    Instant expired = CLOCK.instant().plus(lasting).plusSeconds(1);
    String session = UUID.randomUUID().toString();
    charge(used, 0, session);
    long once = rowsRead(used, expired);
    for (int sequence = 1; sequence <= 10; sequence++) {
      charge(used, sequence, session);
    }
    assertThat(
            SharedDatabase.client()
                .sql(
                    "select count(*) from wallet_draw d join wallet w on w.id = d.wallet_id where w.account = ?")
                .param(used)
                .query(Long.class)
                .single())
        .isEqualTo(11 * FLOWS);
    assertThat(rowsRead(used, expired)).isEqualTo(once);
  }
}
