package io.viaduct.webgui.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class DisplayTest {
  private final Display display = new Display();

  @Test
  void sizesAndRatesAreDecimalWithTwoDigits() {
    assertThat(display.bytes(0)).isEqualTo("0\u00a0B");
    assertThat(display.bytes(999)).isEqualTo("999\u00a0B");
    assertThat(display.bytes(2_385_000)).isEqualTo("2.39\u00a0MB");
    assertThat(display.bitRate(48_300_000)).isEqualTo("48.30\u00a0Mbit/s");
    assertThat(display.bytes(Long.MAX_VALUE)).isEqualTo("9223.37\u00a0PB");
  }

  @Test
  void pricesKeepSixDigitsWithoutExponent() {
    assertThat(display.significant(0.0000123456789)).isEqualTo("0.0000123457");
    assertThat(display.significant(3840.0)).isEqualTo("3840");
    assertThat(display.significant(0.0)).isEqualTo("0");
    assertThat(display.significant(Double.NaN)).isEqualTo(Display.UNKNOWN);
  }

  @Test
  void whatIsNotKnownIsADash() {
    assertThat(display.time(null)).isEqualTo(Display.UNKNOWN);
    assertThat(display.tenths(null)).isEqualTo(Display.UNKNOWN);
    assertThat(display.whole(null)).isEqualTo(Display.UNKNOWN);
    assertThat(display.seconds(null)).isEqualTo(Display.UNKNOWN);
    assertThat(display.percentOfRatio(null)).isEqualTo(Display.UNKNOWN);
    assertThat(display.text("  ")).isEqualTo(Display.UNKNOWN);
    assertThat(display.serviceClass(null)).isEqualTo(Display.UNKNOWN);
  }

  @Test
  void timesAreUtc() {
    assertThat(display.time(Instant.parse("2026-11-20T23:59:59.999Z")))
        .isEqualTo("2026-11-20 23:59:59");
  }

  @Test
  void sharesStayBetweenNothingAndAll() {
    assertThat(display.share(1, 0)).isZero();
    assertThat(display.share(40, 100)).isEqualTo(40);
    assertThat(display.share(120, 100)).isEqualTo(100);
  }

  @Test
  void nameShowsCharactersThatAreNotSeen() {
    assertThat(display.name("evil\u202egpj.exe")).isEqualTo("evil\ufffdgpj.exe");
    assertThat(display.name("a\u2066b\u200bc\u0007d")).isEqualTo("a\ufffdb\ufffdc\ufffdd");
    assertThat(display.name("\u0639\u0644\u064a")).isEqualTo("\u0639\u0644\u064a");
    assertThat(display.name(null)).isEqualTo(Display.UNKNOWN);
  }
}
