package io.viaduct.webgui.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.billing.MicroDenarii;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

class DisplayTest {
  private final Display display = new Display();

  @Test
  void sizesAndRatesHaveThreeDigitsAndAFittingUnit() {
    assertThat(display.bytes(0)).isEqualTo("0\u00a0B");
    assertThat(display.bytes(5)).isEqualTo("5\u00a0B");
    assertThat(display.bytes(999)).isEqualTo("999\u00a0B");
    assertThat(display.bytes(2_385_000)).isEqualTo("2.39\u00a0MB");
    assertThat(display.bytes(999_999)).isEqualTo("1.00\u00a0MB");
    assertThat(display.bitRate(48_300_000)).isEqualTo("48.3\u00a0Mbit/s");
    assertThat(display.kilobitRate(340.0)).isEqualTo("340\u00a0kbit/s");
    assertThat(display.bytes(Long.MAX_VALUE)).isEqualTo("9.22\u00a0EB");
  }

  @Test
  void moneyHasThreeDigitsAndWholeDenariiWhereTheyAreMany() {
    assertThat(display.money(new MicroDenarii(12_317_779))).isEqualTo("12.3\u00a0den");
    assertThat(display.money(new MicroDenarii(840_000))).isEqualTo("840\u00a0mden");
    assertThat(display.money(new MicroDenarii(53))).isEqualTo("53.0\u00a0\u00b5den");
    assertThat(display.money(new MicroDenarii(0))).isEqualTo("0\u00a0den");
    assertThat(display.money(new MicroDenarii(1_234_567_890L))).isEqualTo("1\u202f235\u00a0den");
    assertThat(display.money(new MicroDenarii(999_600_000L))).isEqualTo("1\u202f000\u00a0den");
    assertThat(display.money(new MicroDenarii(-250_000))).isEqualTo("\u2212250\u00a0mden");
    assertThat(display.deducted(new MicroDenarii(765_000))).isEqualTo("\u2212765\u00a0mden");
    assertThat(display.exact(new MicroDenarii(12_317_779))).isEqualTo("12.317779\u00a0den");
    assertThat(display.money(null)).isEqualTo(Display.UNKNOWN);
  }

  @Test
  void pricesAreReadableHoweverSmall() {
    assertThat(display.quantity(0.0006622681, "den/vu")).isEqualTo("662\u00a0\u00b5den/vu");
    assertThat(display.quantity(0.00000000000841043, "den/vu")).isEqualTo("< 1\u00a0nden/vu");
    assertThat(display.quantity(-0.0004, "den/vu")).isEqualTo("\u2212400\u00a0\u00b5den/vu");
    assertThat(display.quantity(Double.NaN, "den/vu")).isEqualTo(Display.UNKNOWN);
    assertThat(display.significant(3840.0)).isEqualTo("3\u202f840");
    assertThat(display.significant(0.05)).isEqualTo("0.0500");
    assertThat(display.full(8.41043E-12)).isEqualTo("8.41043E-12");
  }

  @Test
  void moneyIsComparedByTimeAndBySize() {
    MicroDenarii amount = new MicroDenarii(13_510_279);
    assertThat(display.perMinute(amount, 60_000L)).isEqualTo("13.5\u00a0den/min");
    assertThat(display.perMinute(amount, 0L)).isEqualTo(Display.UNKNOWN);
    assertThat(display.perMegabyte(amount, 2_550_000)).isEqualTo("5.30\u00a0den/MB");
    assertThat(display.perMegabyte(amount, 0)).isEqualTo(Display.UNKNOWN);
  }

  @Test
  void whatIsNotKnownIsADash() {
    assertThat(display.time(null)).isEqualTo(Display.UNKNOWN);
    assertThat(display.tenths(null)).isEqualTo(Display.UNKNOWN);
    assertThat(display.whole(null)).isEqualTo(Display.UNKNOWN);
    assertThat(display.delay(null)).isEqualTo(Display.UNKNOWN);
    assertThat(display.duration(null)).isEqualTo(Display.UNKNOWN);
    assertThat(display.percentOfRatio(null)).isEqualTo(Display.UNKNOWN);
    assertThat(display.text("  ")).isEqualTo(Display.UNKNOWN);
    assertThat(display.serviceClass(null)).isEqualTo(Display.UNKNOWN);
  }

  @Test
  void timesAreInTheViewersZone() {
    Instant at = Instant.parse("2026-11-20T23:59:59.999Z");
    assertThat(display.time(at)).isEqualTo("2026-11-20 23:59:59");
    assertThat(display.zone()).isEqualTo("UTC");
    Display seoul = new Display(ZoneId.of("Asia/Seoul"));
    assertThat(seoul.time(at)).isEqualTo("2026-11-21 08:59:59");
    assertThat(seoul.day(at)).isEqualTo("2026-11-21");
    assertThat(seoul.clock(at)).isEqualTo("08:59");
    assertThat(new Display(ZoneId.of("America/New_York")).zone()).isEqualTo("America/New York");
  }

  @Test
  void durationsHaveTwoUnitsAtMost() {
    assertThat(display.duration(1_200L)).isEqualTo("1.20\u00a0s");
    assertThat(display.duration(200_000L)).isEqualTo("3\u00a0min 20\u00a0s");
    assertThat(display.duration(7_500_000L)).isEqualTo("2\u00a0h 5\u00a0min");
    assertThat(display.duration(273_600_000L)).isEqualTo("3\u00a0d 4\u00a0h");
    assertThat(display.delay(140.0)).isEqualTo("140\u00a0ms");
    assertThat(display.delay(1200.0)).isEqualTo("1.20\u00a0s");
  }

  @Test
  void sharesStayBetweenNothingAndAll() {
    assertThat(display.share(1, 0)).isZero();
    assertThat(display.share(40, 100)).isEqualTo(40);
    assertThat(display.share(120, 100)).isEqualTo(100);
    assertThat(display.percentOfRatio(0.0125)).isEqualTo("1.25\u00a0%");
    assertThat(display.loss(0.0125)).isEqualTo("1.25\u00a0%");
    assertThat(display.loss(0.05)).as("billing counts no more").isEqualTo("≥\u00a05.00\u00a0%");
    assertThat(display.percent(60.0)).isEqualTo("60.0\u00a0%");
  }

  @Test
  void nameShowsCharactersThatAreNotSeen() {
    assertThat(display.name("evil\u202egpj.exe")).isEqualTo("evil\ufffdgpj.exe");
    assertThat(display.name("a\u2066b\u200bc\u0007d")).isEqualTo("a\ufffdb\ufffdc\ufffdd");
    assertThat(display.name("\u0639\u0644\u064a")).isEqualTo("\u0639\u0644\u064a");
    assertThat(display.name(null)).isEqualTo(Display.UNKNOWN);
  }
}
