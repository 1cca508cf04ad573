package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.mediation.PostedReports;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.billing.settlement.TariffTrial;
import io.viaduct.billing.settlement.TrialResult;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.usage.v1.FlowUsage;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// A time that is over under a draft. Each test posts reports far ahead, where no other test has
/// any, and compares the sums with those of simulations of the single charges.
class TariffTrialTest {
  private static RunningBilling billing;
  private static String operator;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, new ManualClock());
    operator = billing.operator();
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  private static final String TERMS =
      "{\"fees\":{\"PER_MEGABYTE\":0.02,\"PER_MINUTE\":0.03},\"refunds\":{\"DELAY\":0.5}}";

  private final List<Long> charges = new ArrayList<>();

  private String post(Tariff tariff, List<FlowUsage> flows) throws Exception {
    String account = "trial-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, account);
    charges.addAll(PostedReports.post(account, tariff, flows));
    return account;
  }

  private static List<FlowUsage> flows(long bytes) {
    return List.of(
        Reports.flow(0, "skype-video", bytes, bytes / 2, 240),
        Reports.flow(1, "skype-video", bytes / 3, bytes / 4, 140));
  }

  /// Returns the times of the posted charges: the first start, and one millisecond after the last.
  private Instant[] times() {
    return SharedDatabase.client()
        .sql("select min(started_at), max(started_at) from charge where id = any(?)")
        .param(charges.toArray(Long[]::new))
        .query((row, _) ->
            new Instant[] {
              row.getTimestamp(1).toInstant(), row.getTimestamp(2).toInstant().plusMillis(1)
            })
        .single();
  }

  private JsonNode trial(Tariff draft) throws Exception {
    Instant[] times = times();
    return billing
        .post(
            "/api/v1/tariffs/simulate",
            operator,
            "{\"tariff\":%s,\"from\":\"%s\",\"to\":\"%s\"}"
                .formatted(TariffDocument.print(draft), times[0], times[1]))
        .body();
  }

  @Test
  void theDraftThatWasInForceChangesNothing() throws Exception {
    Tariff tariff = SeedTariff.at(OperatingPoint.OFFERED, TERMS);
    String account = post(tariff, flows(2_550_000));
    JsonNode same = trial(tariff);
    assertThat(same.get("complete").asBoolean()).isTrue();
    assertThat(same.get("reports").asLong()).isEqualTo(1);
    assertThat(same.at("/total/charges").asLong()).isEqualTo(2);
    assertThat(same.at("/total/before")).isEqualTo(same.at("/total/after"));
    assertThat(same.at("/total/before/netMicrodenarii").asLong()).isPositive();
    assertThat(same.get("changes").size()).isZero();
    assertThat(same.at("/groups/0/accounts").asLong()).isEqualTo(1);
    assertThat(
            billing
                .get("/api/v1/accounts/" + account + "/balance", operator)
                .body()
                .get("postedMicrodenarii")
                .asLong())
        .isEqualTo(-same.at("/total/paidBeforeMicrodenarii").asLong());
  }

  @Test
  void theSumsAreThoseOfTheSingleChargesUnderTheDraft() throws Exception {
    Tariff posted = SeedTariff.read();
    Tariff draft = SeedTariff.at(OperatingPoint.OFFERED, TERMS);
    String account = post(posted, flows(1_275_000));
    JsonNode trial = trial(draft);
    JsonNode single =
        billing
            .post(
                "/api/v1/rating/simulate",
                operator,
                "{\"charge\":\"%d\",\"tariff\":%s}"
                    .formatted(charges.getFirst(), TariffDocument.print(draft)))
            .body();
    assertThat(trial.at("/total/before")).isEqualTo(single.get("posted"));
    assertThat(trial.at("/total/after")).isEqualTo(single.get("bill"));
    assertThat(trial.at("/total/after")).isNotEqualTo(trial.at("/total/before"));
    assertThat(trial.at("/classes/0/name").asString()).isEqualTo("HT_LD");
    assertThat(trial.at("/classes/0/sum/after")).isEqualTo(single.get("bill"));
    assertThat(trial.at("/applications/0/name").asString()).isEqualTo("skype-video");
    assertThat(trial.at("/changes/0/account").asString()).isEqualTo(account);
    assertThat(trial.at("/changes/0/paidAfterMicrodenarii"))
        .isEqualTo(trial.at("/total/paidAfterMicrodenarii"));
  }

  @Test
  void theDraftsCapsOfHourAndDayAreTakenOff() throws Exception {
    Tariff posted = SeedTariff.read();
    post(posted, flows(2_550_000));
    JsonNode free = trial(posted);
    long net = free.at("/total/before/netMicrodenarii").asLong();
    assertThat(net).isGreaterThan(3_000_000);
    Tariff hour = SeedTariff.at(OperatingPoint.MEASURED, "{\"caps\":{\"APPLICATION_HOUR\":2.5}}");
    JsonNode capped = trial(hour);
    assertThat(capped.at("/total/paidAfterMicrodenarii").asLong()).isEqualTo(2_500_000);
    assertThat(capped.at("/total/capAfterMicrodenarii").asLong()).isEqualTo(net - 2_500_000);
    assertThat(capped.at("/total/paidBeforeMicrodenarii").asLong()).isEqualTo(net);
    Tariff day =
        SeedTariff.at(
            OperatingPoint.MEASURED, "{\"caps\":{\"APPLICATION_HOUR\":2.5,\"ACCOUNT_DAY\":1.0}}");
    assertThat(trial(day).at("/total/paidAfterMicrodenarii").asLong()).isEqualTo(1_000_000);
    assertThat(trial(day).at("/groups/0/falls").asLong()).isEqualTo(1);
  }

  @Test
  void aMonthOfManyChargesIsRatedWithinTheBounds() throws Exception {
    String account = "trial-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, account);
    Instant first = Instant.parse("2071-01-01T00:00:00Z");
    try {
      ChargesOnFile.addMany(account, 100_000, first); // two a minute
      long began = System.nanoTime();
      JsonNode trial =
          billing
              .post(
                  "/api/v1/tariffs/simulate",
                  operator,
                  "{\"tariff\":%s,\"from\":\"%s\",\"to\":\"%s\"}"
                      .formatted(
                          TariffDocument.print(SeedTariff.read()),
                          first,
                          first.plusSeconds(31L * 86_400)))
              .body();
      System.out.printf(
          "MEASURED a trial of %s charges in %d ms%n",
          trial.at("/total/charges"), (System.nanoTime() - began) / 1_000_000);
      assertThat(trial.get("complete").asBoolean()).isTrue();
      assertThat(trial.at("/total/charges").asLong()).isEqualTo(31L * 1440 * 2 - 2);
    } finally {
      ChargesOnFile.remove(account);
    }
  }

  @Test
  void aBoundThatIsReachedGivesTheSlicesBeforeAndSaysSo() throws Exception {
    post(SeedTariff.read(), flows(2_550_000));
    Instant[] times = times();
    Instant to = times[1].plusSeconds(86_400);
    TariffTrial few = trialWithin(new TariffTrial.Bounds(1, Duration.ofSeconds(10)), () -> 0);
    TrialResult none = few.run(SeedTariff.read(), times[0], to);
    assertThat(none.isComplete()).isFalse();
    assertThat(none.coveredTo()).isEqualTo(times[0]);
    assertThat(none.total().charges()).isZero();
    long[] seconds = {0};
    TariffTrial slow =
        trialWithin(
            new TariffTrial.Bounds(100, Duration.ofSeconds(10)),
            () -> 3_000_000_000L * seconds[0]++);
    TrialResult part = slow.run(SeedTariff.read(), times[0], to);
    assertThat(part.isComplete()).isFalse();
    assertThat(part.total().charges()).isEqualTo(2);
    assertThat(part.coveredTo())
        .as("slices of 10, 20 and 40 minutes")
        .isEqualTo(times[0].plusSeconds(7 * 600));
  }

  private static TariffTrial trialWithin(TariffTrial.Bounds bounds, LongSupplier nanoTime) {
    return new TariffTrial(
        SharedDatabase.client(),
        billing.parts.getBean(TariffBook.class),
        billing.parts.getBean(SurchargeBook.class),
        nanoTime,
        bounds);
  }
}
