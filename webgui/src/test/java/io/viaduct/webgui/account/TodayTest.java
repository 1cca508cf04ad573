package io.viaduct.webgui.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.billing.MicroDenarii;
import io.viaduct.webgui.billing.Usage;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class TodayTest {
  private static Usage.Sums sums(Instant hour, long net, long discount) {
    return new Usage.Sums(
        null,
        hour,
        null,
        null,
        null,
        1,
        10,
        5,
        5,
        1000,
        new MicroDenarii(net + discount),
        new MicroDenarii(discount),
        new MicroDenarii(net));
  }

  private static Today day(String date, String zone, Usage.Sums... hours) {
    Instant noon = LocalDate.parse(date).atTime(12, 0).atZone(ZoneId.of(zone)).toInstant();
    return Today.of(
        new Usage(List.of(hours), sums(null, 7, 3)), Today.Day.of(noon, ZoneId.of(zone)));
  }

  @Test
  void eachHourOfTheDayIsThereAndThoseWithoutChargesAreZero() {
    Instant ten = Instant.parse("2026-11-20T09:00:00Z");
    Today today = day("2026-11-20", "Europe/Warsaw", sums(ten, 7, 3));
    assertThat(today.hours()).hasSize(24);
    assertThat(today.hours().get(10))
        .isEqualTo(new Today.Hour(ten, new MicroDenarii(7), new MicroDenarii(3)));
    assertThat(today.hours().get(11).spent()).isEqualTo(MicroDenarii.ZERO);
    assertThat(today.spent().value()).isEqualTo(7);
    assertThat(today.saved().value()).isEqualTo(3);
  }

  @Test
  void dayOnWhichTheClocksChangeHasAnHourMoreOrLess() {
    assertThat(day("2026-10-25", "Europe/Warsaw").hours()).hasSize(25);
    assertThat(day("2026-03-29", "Europe/Warsaw").hours()).hasSize(23);
    assertThat(day("2026-03-29", "Asia/Kolkata").hours()).hasSize(24);
    // The clocks go forward at midnight: the day begins at one o'clock.
    assertThat(day("2026-09-06", "America/Santiago").hours())
        .hasSize(23)
        .startsWith(
            new Today.Hour(
                Instant.parse("2026-09-06T04:00:00Z"), MicroDenarii.ZERO, MicroDenarii.ZERO));
    assertThat(day("2026-09-05", "America/Santiago").hours()).hasSize(24);
  }

  @Test
  void hourThatBeginsAtAnotherTimeAfterAHalfHourChangeIsNotLost() {
    Instant three = Instant.parse("2026-10-03T16:00:00Z"); // 3:00 in Lord Howe, 15:30Z is 2:30
    assertThat(day("2026-10-04", "Australia/Lord_Howe", sums(three, 7, 3)).hours())
        .contains(new Today.Hour(three, new MicroDenarii(7), new MicroDenarii(3)))
        .isSortedAccordingTo(Comparator.comparing(Today.Hour::start));
  }
}
