package io.viaduct.denarii.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AmountTest {
  @ParameterizedTest
  @CsvSource({
    "5, 5000000",
    "5den, 5000000",
    "2.5 den, 2500000",
    "0.000001, 1",
    "800mden, 800000",
    "12µden, 12",
    "12uden, 12",
    "1.5mden, 1500"
  })
  void readsWhatPeopleWrite(String written, long microdenarii) {
    assertThat(Amount.parse(written)).isEqualTo(microdenarii);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-5", "5 euro", "1.0000001", "1e3", "0.5uden", "5,5", "NaN"})
  void refusesWithTheValueAndTheRule(String written) {
    assertThatThrownBy(() -> Amount.parse(written))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + written + "'")
        .hasMessageContaining("an amount is");
  }

  @Property
  void anExactAmountIsReadBackUnchanged(
      @ForAll @LongRange(min = 0, max = 1_000_000_000_000_000L) long microdenarii) {
    assertThat(Amount.parse(Amount.exact(Long.toString(microdenarii)))).isEqualTo(microdenarii);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 den",
    "5, 5 µden",
    "999, 999 µden",
    "1234, 1.23 mden",
    "999600, 1 den",
    "12345678, 12.3 den",
    "-12345678, -12.3 den",
    "4000000000, 4000 den"
  })
  void roundsToThreeDigitsWithAFittingUnit(String microdenarii, String text) {
    assertThat(Amount.rounded(microdenarii)).isEqualTo(text);
  }

  @Test
  void writesNumbersWithoutAnExponentAndWithoutZerosThatNobodyCounts() {
    assertThat(Amount.number(8.41043e-15)).isEqualTo("< 0.001");
    assertThat(Amount.number(-8.41043e-15)).isEqualTo("> -0.001");
    assertThat(Amount.number(0.00123)).isEqualTo("0.00123");
    assertThat(Amount.number(123456)).isEqualTo("123000");
    assertThat(Amount.number(Double.NaN)).isEqualTo("NaN");
  }
}
