package io.viaduct.denarii.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

class QuantityTest {
  private static final ZoneId ROME = ZoneId.of("Europe/Rome");

  @Test
  void scalesToTheFittingUnit() {
    assertThat(Quantity.bytes(999)).isEqualTo("999 B");
    assertThat(Quantity.bytes(2_390_000)).isEqualTo("2.39 MB");
    assertThat(Quantity.rate(0.5)).isEqualTo("0.5 kbit/s");
    assertThat(Quantity.rate(20_000)).isEqualTo("20 Mbit/s");
    assertThat(Quantity.duration(59)).isEqualTo("59 s");
    assertThat(Quantity.duration(12_000)).isEqualTo("3 h 20 min");
    assertThat(Quantity.duration(200_000)).isEqualTo("2 d 7 h");
  }

  @Test
  void aMonthAndADayAreThoseOfTheTimeZone() {
    Period month = Period.of("", "", "2026-03", ROME);
    // Rome is one hour ahead on 1 March, and two on 1 April.
    assertThat(month).isEqualTo(new Period("2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"));
    assertThat(Period.of("2026-11-23", "2026-11-23T20:00", "", ROME))
        .isEqualTo(new Period("2026-11-22T23:00:00Z", "2026-11-23T19:00:00Z"));
    assertThat(Period.of("2026-11-23T20:00:00Z", "", "", ROME).from())
        .isEqualTo("2026-11-23T20:00:00Z");
    assertThat(Quantity.time("2026-03-31T22:00:00Z", ROME)).isEqualTo("2026-04-01 00:00:00 +02:00");
  }

  @Test
  void aWrongTimeIsRefusedWithAnExample() {
    assertThatThrownBy(() -> Period.of("yesterday", "", "", ROME))
        .hasMessage(
            "--from must be a time such as 2026-11-23, 2026-11-23T20:00 or 2026-11-23T20:00:00Z, got 'yesterday'");
    assertThatThrownBy(() -> Period.of("", "", "2026-13", ROME)).hasMessageContaining("'2026-13'");
    assertThatThrownBy(() -> Period.of("2026-01-01", "", "2026-01", ROME))
        .hasMessageContaining("--month stands alone");
  }

  @Test
  void columnsAreAsWideAsTheirWidestCellAndNumbersStandAtTheRight() {
    Table table = new Table("NAME", ">BYTES");
    table.row("web", "5 B");
    table.row("µtorrent", "12.5 MB");
    StringWriter text = new StringWriter();
    table.print(new PrintWriter(text, true));
    assertThat(text.toString().lines())
        .containsExactly("NAME        BYTES", "web           5 B", "µtorrent  12.5 MB");
  }

  @Test
  void aPriceHasThePrefixThatFits() {
    assertThat(Quantity.prefixed(0.0006622681, "den/vu")).isEqualTo("662 µden/vu");
    assertThat(Quantity.prefixed(8.41043e-15, "den/vu")).isEqualTo("< 1 nden/vu");
    assertThat(Quantity.prefixed(-0.0004, "den/s/ms")).isEqualTo("-400 µden/s/ms");
    assertThat(Quantity.prefixed(0.9996, "den")).isEqualTo("1 den");
    assertThat(Quantity.prefixed(0, "den/s")).isEqualTo("0 den/s");
    assertThat(Quantity.prefixed(48_300, "vu")).isEqualTo("48.3 kvu");
  }
}
