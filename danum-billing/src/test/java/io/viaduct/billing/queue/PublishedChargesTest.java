package io.viaduct.billing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.billing.rerating.ReratingOrder;
import io.viaduct.billing.rerating.Reratings;
import io.viaduct.billing.settlement.Evidence;
import io.viaduct.billing.settlement.UnsignedIntervals;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.usage.v1.ChargeState;
import io.viaduct.usage.v1.PublishedCharge;
import io.viaduct.usage.v1.QueuedReport;
import io.viaduct.usage.v1.UsageReport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/// Billing publishes charges to a real broker.
class PublishedChargesTest extends QueueTest {
  @Test
  void everyChargeAndEachChangeOfItsStateIsPublishedByAccount() throws Exception {
    RunningBilling billing = start();
    billing.openAccount(billing.operator(), account);
    write(queued(UUID.randomUUID().toString(), 0, account), account);
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 2);
    assertThat(published())
        .extracting(PublishedCharge::getState)
        .containsOnly(ChargeState.CHARGE_CORRECTED);
    assertThat(published().stream().mapToLong(PublishedCharge::getNetMicrodenarii).sum())
        .isEqualTo(PRICE);
    clock.advance(Duration.ofMinutes(11)); // beyond the grace time
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 4);
    assertThat(published())
        .extracting(PublishedCharge::getState)
        .filteredOn(state -> state == ChargeState.CHARGE_FINAL)
        .hasSize(2);
  }

  @Test
  void aBillThatIsMadeAgainIsPublishedWithItsRevision() throws Exception {
    RunningBilling billing = start();
    billing.openAccount(billing.operator(), account);
    write(queued(UUID.randomUUID().toString(), 0, account), account);
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 2);
    int corrected = reratedWithAFee(billing, "fee");
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 4);
    requireRevised(ChargeState.CHARGE_CORRECTED, 1, corrected, PRICE + 500_000);
    assertThat(owed()).isEqualTo(-balance(account));

    clock.advance(Duration.ofMinutes(11)); // beyond the grace time
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 6);
    requireRevised(ChargeState.CHARGE_FINAL, 1, corrected, PRICE + 500_000);

    int first = published().getFirst().getTariffVersion();
    rerated(billing, "back", first); // a final charge
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 8);
    requireRevised(ChargeState.CHARGE_FINAL, 2, first, PRICE);
    assertThat(owed()).isEqualTo(-balance(account)).isEqualTo(PRICE);
  }

  @Test
  void aVoidChargeIsPublishedWithItsBillAndANetAmountOfZero() throws Exception {
    RunningBilling billing = start();
    billing.openAccount(billing.operator(), account);
    QueuedReport complete = queued(UUID.randomUUID().toString(), 0, account);
    UsageReport report = UsageReport.parseFrom(complete.getReport().getReport());
    write(complete.toBuilder().setReport(Reports.unsigned(report)).build(), account);
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 2);
    int corrected = reratedWithAFee(billing, "void");
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 4);
    requireRevised(ChargeState.CHARGE_PROVISIONAL, 1, corrected, PRICE + 500_000);

    clock.advance(Duration.ofDays(31)); // an operator may decide
    long interval =
        SharedDatabase.client()
            .sql("select id from charging_interval where account = ?")
            .param(account)
            .query(Long.class)
            .single();
    assertThat(
            billing
                .parts
                .getBean(UnsignedIntervals.class)
                .decide(
                    interval,
                    UnsignedIntervals.Verdict.VOIDED,
                    new Evidence.Decision("operator", "a test"),
                    clock.instant()))
        .get()
        .isInstanceOf(UnsignedIntervals.Outcome.Done.class);
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 6);
    requireRevised(ChargeState.CHARGE_VOID, 1, corrected, 0);
    assertThat(published().getLast().getChargeMicrodenarii()).isPositive();
    assertThat(owed()).isEqualTo(-balance(account)).isZero();
  }

  private static TariffBook tariffs(RunningBilling billing) {
    return billing.parts.getBean(TariffBook.class);
  }

  /// Begins a re-rating of the account's present bills under a tariff with half a denarius more per
  /// minute.
  ///
  /// @return the version of that tariff
  private int reratedWithAFee(RunningBilling billing, String run) {
    int corrected =
        tariffs(billing)
            .add(
                SeedTariff.at(OperatingPoint.MEASURED, "{\"fees\":{\"PER_MINUTE\":0.5}}"),
                Instant.parse("2400-01-01T00:00:00Z"),
                "operator",
                clock.instant())
            .version();
    rerated(billing, run, corrected);
    return corrected;
  }

  private void rerated(RunningBilling billing, String run, int tariff) {
    assertThat(
            billing
                .parts
                .getBean(Reratings.class)
                .begin(
                    new ReratingOrder(
                        run + "-" + account,
                        clock.instant().minus(Duration.ofHours(1)),
                        clock.instant(),
                        account,
                        null,
                        tariff,
                        "a test",
                        "operator"),
                    clock.instant()))
        .isInstanceOf(Reratings.Begun.New.class);
  }

  /// Requires that both charges were published with a state and a revision, and sum to a net
  /// amount.
  private void requireRevised(ChargeState state, int revision, int tariff, long net)
      throws Exception {
    List<PublishedCharge> revised =
        published().stream()
            .filter(charge -> charge.getState() == state && charge.getRevision() == revision)
            .toList();
    assertThat(revised).hasSize(2).allMatch(charge -> charge.getTariffVersion() == tariff);
    assertThat(revised.stream().mapToLong(PublishedCharge::getNetMicrodenarii).sum())
        .isEqualTo(net);
  }

  /// Returns what the account owes by the last publication of each charge.
  private long owed() throws Exception {
    Map<Long, Long> nets = new HashMap<>();
    published().forEach(charge -> nets.put(charge.getCharge(), charge.getNetMicrodenarii()));
    return nets.values().stream().mapToLong(Long::longValue).sum();
  }

  private List<PublishedCharge> published() throws Exception {
    List<PublishedCharge> all = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : broker.read(charges)) {
      PublishedCharge charge = PublishedCharge.parseFrom(record.value());
      assertThat(new String(record.key(), StandardCharsets.UTF_8)).isEqualTo(charge.getAccount());
      if (charge.getAccount().equals(account)) {
        all.add(charge);
      }
    }
    return all;
  }
}
