package io.viaduct.billing.preview;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.BillingOutput;
import io.viaduct.billing.rating.FlowMeasure;
import io.viaduct.billing.tariff.Cap;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffDocument;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrdinaryDayTest {
  private static final long SEED = 20;
  private static final Tariff SHIPPED = TariffDocument.initial();

  @Test
  void theManualHasTheTablesThatTheCommandsPrint() throws Exception {
    String manual =
        Files.readString(Path.of(System.getProperty("viaduct.root"), "docs", "tariffs.md"));
    for (String command : List.of("day", "prices")) {
      assertThat(manual)
          .as("docs/tariffs.md has drifted: copy the output of `danum-billing %s`", command)
          .contains(BillingOutput.of(command).strip());
    }
  }

  @Test
  void thePlotOfTheManualIsTheOneThatTheCommandPrints() throws Exception {
    Path plot = Path.of(System.getProperty("viaduct.root"), "docs", "images", "prices.svg");
    assertThat(Files.readString(plot))
        .as("docs/images/prices.svg has drifted: write the output of `danum-billing prices --plot`")
        .isEqualTo(BillingOutput.of("prices", "--plot"));
  }

  @Test
  void aDraftInAFileIsRatedInPlaceOfTheShippedTariff(@TempDir Path folder) throws Exception {
    Path draft =
        Files.writeString(folder.resolve("draft.json"), TariffDocument.print(SeedTariff.read()));
    assertThat(BillingOutput.of("day", "--tariff", draft.toString()))
        .isEqualTo(DayTable.of(SEED, SeedTariff.read()));
    assertThat(BillingOutput.of("day", "--seed", "21")).isEqualTo(DayTable.of(21, SHIPPED));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 20, 3_000_000_000L})
  void theSameSeedGivesTheSameDayAndAnotherSeedAnotherOne(long seed) {
    assertThat(OrdinaryDay.reports(seed, Network.POOR))
        .isEqualTo(OrdinaryDay.reports(seed, Network.POOR))
        .isNotEqualTo(OrdinaryDay.reports(seed + 1, Network.POOR));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 20, 3_000_000_000L})
  void aNetworkNeverCarriesMoreThanItCan(long seed) {
    for (Network network : List.of(Network.GOOD, Network.POOR)) {
      for (OrdinaryDay.Report report : OrdinaryDay.reports(seed, network)) {
        long bytes = report.flows().stream().mapToLong(FlowMeasure::preBytes).sum();
        assertThat((double) bytes)
            .as("seed %d, %s, minute %d", seed, network.name(), report.minute())
            .isLessThanOrEqualTo(network.bytesPerMinute());
        assertThat(report.flows())
            .allSatisfy(flow -> assertThat(flow.demand().busy()).isBetween(0.0, 1.0))
            .allSatisfy(flow -> assertThat(flow.demand().spareKbitPerSecond()).isNotNegative());
      }
    }
  }

  @Test
  void bothNetworksCarryWhatIsWantedExceptThatTheVideoIsSmallerOnThePoorOne() {
    for (Activity activity : Activity.values()) {
      long good = carried(Network.GOOD, activity);
      long wanted = activity == Activity.VIDEO ? good / 10 : good;
      // A flow that waits is cut to whole bytes in each minute.
      assertThat(carried(Network.POOR, activity))
          .as(activity.words())
          .isBetween(wanted - Wishes.MINUTES, wanted);
    }
  }

  private static long carried(Network network, Activity activity) {
    long bytes = 0;
    for (OrdinaryDay.Report report : OrdinaryDay.reports(SEED, network)) {
      for (int i = 0; i < report.flows().size(); i++) {
        bytes += report.activities().get(i) == activity ? report.flows().get(i).preBytes() : 0;
      }
    }
    return bytes;
  }

  @Test
  void theDayIsPaidAtMostUpToItsCap() {
    DayBill bill = DayBill.of(OrdinaryDay.reports(SEED, Network.POOR), SHIPPED);
    double cap = SHIPPED.caps().get(Cap.ACCOUNT_DAY) * 1e6;
    assertThat((double) bill.whole().net().value()).isGreaterThan(cap);
    assertThat((double) bill.whole().net().minus(bill.givenBack()).value())
        .isLessThanOrEqualTo(cap);
    DayBill free =
        DayBill.of(OrdinaryDay.reports(SEED, Network.POOR), SeedTariff.at(OperatingPoint.OFFERED));
    assertThat(free.givenBack().value()).isZero();
  }
}
