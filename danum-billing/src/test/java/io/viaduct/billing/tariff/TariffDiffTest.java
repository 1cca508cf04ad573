package io.viaduct.billing.tariff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.billing.tariff.TariffDiff.Change;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class TariffDiffTest {
  private static final Tariff FIRST = TariffDocument.initial();

  private static Tariff edited(String from, String to) {
    String document = TariffDocument.print(FIRST);
    assertThat(document).contains(from);
    int at = document.indexOf(from);
    return TariffDocument.parse(
        document.substring(0, at) + to + document.substring(at + from.length()));
  }

  @Test
  void aTariffDoesNotDifferFromItself() {
    assertThat(TariffDiff.of(FIRST, TariffDocument.parse(TariffDocument.print(FIRST)))).isEmpty();
  }

  @Test
  void aMovedKnotIsTheSameKnotWithItsIndex() {
    assertThat(TariffDiff.of(FIRST, edited("[1.0,0.5],[2.0,0.15]", "[1.25,0.5],[2.0,0.15]")))
        .containsExactly(
            new Change("classes.LT_LD.throughput-marginal", 2, "[1.0,0.5]", "[1.25,0.5]"));
  }

  @Test
  void aKnotThatWasAddedOrTakenAwayIsNamedAndTheOthersAreNot() {
    Tariff more = edited("[1.0,0.5],[2.0,0.15]", "[1.0,0.5],[1.5,0.3],[2.0,0.15]");
    assertThat(TariffDiff.of(FIRST, more))
        .containsExactly(new Change("classes.LT_LD.throughput-marginal", 3, null, "[1.5,0.3]"));
    assertThat(TariffDiff.of(more, FIRST))
        .containsExactly(new Change("classes.LT_LD.throughput-marginal", 3, "[1.5,0.3]", null));
  }

  @Test
  void fieldsThatAppearChangeAndDisappearAreNamedByTheirPlace() {
    Tariff other =
        edited(
            "\"fees\":{\"PER_MEGABYTE\":0.02,\"PER_MINUTE\":0.01}",
            "\"fees\":{\"PER_MINUTE\":1.5}");
    assertThat(TariffDiff.of(FIRST, other))
        .containsExactly(
            new Change("fees.PER_MEGABYTE", null, "0.02", null),
            new Change("fees.PER_MINUTE", null, "0.01", "1.5"));
    assertThat(TariffDiff.of(FIRST, edited("\"point\":\"OFFERED\"", "\"point\":\"MEASURED\"")))
        .containsExactly(new Change("classes.LT_LD.point", null, "OFFERED", "MEASURED"));
  }

  @Test
  void aRefusalNamesPlaceAndKnotForPrograms() {
    String[][] cases = {
      {"[2.0,0.15]", "[2.0,0.9]", "classes.LT_LD.throughput-marginal", "3", "NON_INCREASING"},
      {"[2.0,0.15]", "[0.9,0.15]", "classes.LT_LD.throughput-marginal", "3", "KNOTS_INCREASE"},
      {"[16.0,0.0]", "[16.0,0.1]", "classes.LT_LD.throughput-marginal", "6", "LAST_VALUE_ZERO"},
      {"\"weight\":0.4", "\"weight\":-1", "classes.LT_LD.weight", "", "POSITIVE"},
      {"\"kappa-delay\":-0.05", "\"kappa-delay\":1", "classes.LT_LD.kappa-delay", "", "KAPPA_SIGN"},
      {"\"cap\":0.3", "\"cap\":1.5", "discount.cap", "", "FRACTION"},
      {"\"DELAY\":0.5", "\"DELAY\":2", "refunds.DELAY", "", "FRACTION"},
      {"\"provider-fee\":0.1", "\"provider-fee\":7", "provider-fee", "", "FRACTION"},
    };
    for (String[] one : cases) {
      assertThatThrownBy(() -> edited(one[0], one[1]))
          .as(one[1])
          .isInstanceOfSatisfying(
              TariffRefusedException.class,
              e -> {
                assertThat(e.place()).isEqualTo(one[2]);
                assertThat(e.knot().isPresent() ? Integer.toString(e.knot().getAsInt()) : "")
                    .isEqualTo(one[3]);
                assertThat(e.rule()).isEqualTo(TariffRule.valueOf(one[4]));
              });
    }
  }

  @Test
  void eachVersionIsInForceUntilTheNextOneIs() {
    Instant now = Instant.parse("2026-11-20T00:00:00Z");
    List<TariffVersion> versions =
        List.of(
            version(1, Instant.EPOCH),
            version(2, now.minusSeconds(10)),
            version(3, now.plusSeconds(10)),
            version(4, now.minusSeconds(5)),
            version(5, now.plusSeconds(10)));
    assertThat(TariffPeriod.of(versions, now))
        .extracting(period -> period.state().name() + " " + period.until())
        .containsExactly(
            "PAST " + now.minusSeconds(10),
            "PAST " + now.minusSeconds(5),
            "SUPERSEDED " + now.plusSeconds(10),
            "IN_FORCE " + now.plusSeconds(10),
            "SCHEDULED null");
  }

  private static TariffVersion version(int number, Instant from) {
    return new TariffVersion(number, from, FIRST, "operator");
  }
}
