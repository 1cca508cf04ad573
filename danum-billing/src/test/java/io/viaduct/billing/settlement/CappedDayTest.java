package io.viaduct.billing.settlement;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.settlement.CappedDay.Day;
import io.viaduct.billing.settlement.CappedDay.Excess;
import io.viaduct.billing.settlement.CappedDay.Hour;
import io.viaduct.billing.tariff.Cap;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.TariffVersion;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class CappedDayTest {
  private static final Day DAY = new Day("alice", LocalDate.of(2026, 3, 1));
  private static final Instant MIDNIGHT = Instant.parse("2026-03-01T00:00:00Z");
  private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

  /// Returns the caps as those of version 3 until noon; of version 4, without caps, from noon on.
  private static Function<Instant, TariffVersion> caps(String caps) {
    TariffVersion with = version(3, "{\"caps\":{%s}}".formatted(caps));
    TariffVersion without = version(4, "{}");
    return at -> at.isBefore(NOON) ? with : without;
  }

  private static TariffVersion version(int number, String changes) {
    return new TariffVersion(
        number, Instant.EPOCH, SeedTariff.at(OperatingPoint.OFFERED, changes), "operator");
  }

  private static Hour hour(String application, Instant begin, long paid) {
    return new Hour(application, begin, new MicroDenarii(paid));
  }

  @Test
  void whatIsGivenBackForAnHourCountsAsNotPaidInTheDay() {
    List<Excess> excesses =
        CappedDay.excesses(
            DAY,
            List.of(
                hour("web", MIDNIGHT, 3_000_000),
                hour("ssh", MIDNIGHT, 1_000_000),
                hour("web", MIDNIGHT.plusSeconds(3600), 1_500_000)),
            caps("\"APPLICATION_HOUR\":2.0,\"ACCOUNT_DAY\":4.0"));
    assertThat(excesses)
        .extracting(Excess::cap)
        .containsExactly(Cap.APPLICATION_HOUR, Cap.ACCOUNT_DAY);
    assertThat(excesses)
        .extracting(each -> each.amount().value())
        .containsExactly(1_000_000L, 500_000L);
    assertThat(excesses.getLast().paid()).isEqualTo(new MicroDenarii(4_500_000));
    assertThat(excesses.getLast().begin()).isEqualTo(MIDNIGHT);
    assertThat(excesses).allMatch(each -> each.tariffVersion() == 3);
  }

  @Test
  void whatReachesACapExactlyIsNotAboveItAndAnHourHasTheCapOfItsTariff() {
    assertThat(
            CappedDay.excesses(
                DAY,
                List.of(hour("web", MIDNIGHT, 2_000_000), hour("web", NOON, 9_000_000)),
                caps("\"APPLICATION_HOUR\":2.0")))
        .isEmpty();
  }

  @Test
  void aComparisonThatFindsNothingHasWhatWasPaidAsItsLimit() {
    List<Excess> compared =
        CappedDay.compared(DAY, List.of(hour("web", MIDNIGHT, 1_000)), caps(""));
    assertThat(compared).hasSize(2);
    assertThat(compared)
        .allMatch(each -> each.limit().equals(new MicroDenarii(1_000)) && each.amount().isZero());
  }

  @Test
  void aCreditNamesItsCapAndEachLaterOneHasANumber() {
    List<Excess> excesses =
        CappedDay.excesses(
            DAY,
            List.of(hour("web", MIDNIGHT, 3_000_000), hour("ssh", MIDNIGHT, 1_500_000)),
            caps("\"APPLICATION_HOUR\":2.0,\"ACCOUNT_DAY\":3.0"));
    LedgerTransaction first = excesses.getFirst().transaction(new MicroDenarii(7), 0);
    assertThat(first.identity()).isEqualTo("cap:alice/APPLICATION_HOUR/web/2026-03-01T00:00:00Z");
    assertThat(first.note())
        .isEqualTo("cap of web in the hour from 2026-03-01T00:00:00Z: 3 den of 2 den");
    assertThat(first.postings()).extracting(each -> each.amount().value()).containsExactly(-7L, 7L);
    LedgerTransaction later = excesses.getLast().transaction(new MicroDenarii(7), 2);
    assertThat(later.identity()).isEqualTo("cap:alice/ACCOUNT_DAY//2026-03-01T00:00:00Z#2");
    assertThat(later.note()).isEqualTo("cap of the day 2026-03-01: 3.5 den of 3 den");
    assertThat(DAY.end()).isEqualTo(Instant.parse("2026-03-02T00:00:00Z"));
  }
}
