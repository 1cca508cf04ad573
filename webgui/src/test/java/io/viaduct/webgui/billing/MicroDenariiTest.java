package io.viaduct.webgui.billing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MicroDenariiTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0.000000",
    "1, 0.000001",
    "-1, \u22120.000001",
    "12345678, 12.345678",
    "1234567890123, 1\u202f234\u202f567.890123",
    "9223372036854775807, 9\u202f223\u202f372\u202f036\u202f854.775807",
    "-9223372036854775808, \u22129\u202f223\u202f372\u202f036\u202f854.775808"
  })
  void amountsShowAllSixDecimals(long micro, String shown) {
    assertThat(new MicroDenarii(micro).denarii()).isEqualTo(shown);
  }

  @Property(tries = 500)
  void whatIsShownIsWhatIsTyped(
      @ForAll @LongRange(min = 0, max = 999_999_999_999_999_999L) long m) {
    String shown = new MicroDenarii(m).denarii().replace("\u202f", "");
    assertThat(MicroDenarii.ofDenarii(shown).value()).isEqualTo(m);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "12,5; 12500000",
        "0,25; 250000",
        "1,0001; 1000100",
        "12.5; 12500000",
        "3.325; 3325000"
      })
  void aCommaIsADecimalOneAsInMostOfEurope(String typed, long micro) {
    assertThat(MicroDenarii.ofDenarii(typed).value()).isEqualTo(micro);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "-1",
        "+1",
        "1e3",
        "0x10",
        "3,325",
        "1,5,0",
        ",5",
        ".5",
        "5.",
        "1.0000001",
        "\u0661"
      })
  void whatIsNoPlainAmountIsRefused(String typed) {
    assertThatThrownBy(() -> MicroDenarii.ofDenarii(typed))
        .isInstanceOf(NumberFormatException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0.000000",
    "765000, \u22120.765000",
    "-5, 0.000005",
    "-9223372036854775808, 9\u202f223\u202f372\u202f036\u202f854.775808"
  })
  void discountsAreShownAsTakenOff(long micro, String shown) {
    assertThat(new MicroDenarii(micro).deducted()).isEqualTo(shown);
  }
}
