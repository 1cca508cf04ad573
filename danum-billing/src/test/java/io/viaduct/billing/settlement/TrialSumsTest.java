package io.viaduct.billing.settlement;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.Demand;
import io.viaduct.billing.rating.Measures;
import io.viaduct.billing.settlement.TrialResult.AccountComparison;
import io.viaduct.billing.settlement.TrialResult.AccountGroup;
import io.viaduct.billing.settlement.TrialResult.NamedComparison;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.TariffVersion;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class TrialSumsTest {
  private static final Instant MIDNIGHT = Instant.parse("2026-03-01T00:00:00Z");

  private final TrialSums sums = new TrialSums();

  private static BillLines bill(long charge) {
    return BillLines.NOTHING.plus(
        new BillLines(
            new MicroDenarii(charge),
            MicroDenarii.ZERO,
            MicroDenarii.ZERO,
            MicroDenarii.ZERO,
            MicroDenarii.ZERO,
            MicroDenarii.ZERO));
  }

  /// Adds a report with one flow.
  private void add(String account, String application, Instant start, long before, long after) {
    ServiceClass serviceClass = application.equals("web") ? ServiceClass.HT_HD : ServiceClass.LT_LD;
    sums.add(
        new ChargedReport(
            account,
            "acme",
            1,
            null,
            start,
            60_000,
            List.of(
                new ChargedReport.Flow(
                    1,
                    1,
                    null,
                    null,
                    Measures.flow(serviceClass, application, 100, 40, Demand.UNKNOWN),
                    bill(before),
                    1))),
        List.of(bill(after)));
  }

  private static Function<Instant, TariffVersion> caps(String caps) {
    TariffVersion version =
        new TariffVersion(
            1,
            Instant.EPOCH,
            SeedTariff.at(OperatingPoint.OFFERED, "{\"caps\":{%s}}".formatted(caps)),
            "operator");
    return _ -> version;
  }

  private TrialResult result(String inForce, String draft) {
    return sums.result(MIDNIGHT, MIDNIGHT.plusSeconds(9), true, caps(inForce), caps(draft));
  }

  @Test
  void chargesAreSummedInAllByClassAndByApplicationTheDearestFirst() {
    add("alice", "ssh", MIDNIGHT, 10, 20);
    add("alice", "web", MIDNIGHT, 300, 100);
    add("bob", "web", MIDNIGHT, 1, 2);
    TrialResult result = result("", "");
    assertThat(result.from()).isEqualTo(MIDNIGHT);
    assertThat(result.coveredTo()).isEqualTo(MIDNIGHT.plusSeconds(9));
    assertThat(result.isComplete()).isTrue();
    assertThat(result.reports()).isEqualTo(3);
    assertThat(result.accounts()).isEqualTo(2);
    assertThat(result.total().charges()).isEqualTo(3);
    assertThat(result.total().preBytes()).isEqualTo(300);
    assertThat(result.total().paidBefore()).isEqualTo(new MicroDenarii(311));
    assertThat(result.total().paidAfter()).isEqualTo(new MicroDenarii(122));
    assertThat(result.classes().get(ServiceClass.HT_HD).paidBefore())
        .isEqualTo(new MicroDenarii(301));
    assertThat(result.classes().get(ServiceClass.LT_LD).paidAfter())
        .isEqualTo(new MicroDenarii(20));
    assertThat(result.applications())
        .extracting(NamedComparison::name)
        .containsExactly("web", "ssh");
  }

  @Test
  void capsOfEachTariffAreTakenOffItsOwnSumByDayAndHour() {
    add("alice", "web", MIDNIGHT, 3_000_000, 3_000_000);
    add("alice", "web", MIDNIGHT.plusSeconds(1800), 1_000_000, 1_000_000);
    add("alice", "web", MIDNIGHT.plusSeconds(3600), 1_000_000, 1_000_000);
    add("alice", "web", MIDNIGHT.plusSeconds(86_400), 5_000_000, 5_000_000);
    TrialResult result = result("\"APPLICATION_HOUR\":3.0", "\"ACCOUNT_DAY\":4.5");
    assertThat(result.total().capBefore()).isEqualTo(new MicroDenarii(1_000_000 + 2_000_000));
    assertThat(result.total().capAfter()).isEqualTo(new MicroDenarii(500_000 + 500_000));
    assertThat(result.changes())
        .containsExactly(
            new AccountComparison(
                "alice", new MicroDenarii(7_000_000), new MicroDenarii(9_000_000)));
    assertThat(result.changes().getFirst().rise()).isEqualTo(new MicroDenarii(2_000_000));
  }

  @Test
  void anAccountIsInOneGroupByWhatItPaid() {
    add("free", "web", MIDNIGHT, 0, 5);
    add("small", "web", MIDNIGHT, 999_999, 5);
    add("one", "web", MIDNIGHT, 1_000_000, 1_000_000);
    add("rich", "web", MIDNIGHT, 100_000_000, 100_000_001);
    add("owed", "web", MIDNIGHT, -1, 0);
    assertThat(result("", "").groups())
        .containsExactly(
            group(null, 0L, 1, 1, 0, -1, 0),
            group(0L, 1L, 2, 1, 1, 999_999, 10),
            group(1L, 10L, 1, 0, 0, 1_000_000, 1_000_000),
            group(100L, null, 1, 1, 0, 100_000_000, 100_000_001));
  }

  private static AccountGroup group(
      Long least, Long most, long accounts, long rises, long falls, long before, long after) {
    return new AccountGroup(
        least == null ? null : MicroDenarii.ofDenarii(least),
        most == null ? null : MicroDenarii.ofDenarii(most),
        accounts,
        rises,
        falls,
        new MicroDenarii(before),
        new MicroDenarii(after));
  }

  @Test
  void theLargestTwentyChangesAreShownAndAccountsWithoutChangeAreNot() {
    for (int i = 0; i < 25; i++) {
      add("account-%02d".formatted(i), "application-%02d".formatted(i), MIDNIGHT, 1_000, 1_000 - i);
    }
    TrialResult result = result("", "");
    assertThat(result.applications()).hasSize(20);
    assertThat(result.changes()).hasSize(20);
    assertThat(result.changes().getFirst().account()).isEqualTo("account-24");
    assertThat(result.changes().getLast().account()).isEqualTo("account-05");
    assertThat(result.applications().getFirst().name()).isEqualTo("application-00");
  }
}
