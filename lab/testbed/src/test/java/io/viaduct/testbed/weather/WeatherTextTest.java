package io.viaduct.testbed.weather;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Settings of weather as text.
class WeatherTextTest {
  private static Weather read(String settings) {
    return WeatherText.apply(Weather.CLEAR, List.of(settings.split(" ")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "clear",
        "delay=20ms jitter=5ms reorder=on loss=1% rate=10mbit queue=64kB duplicate=2% blackhole=on",
        "delay=0.25ms loss=2% burst=4 rate=1500kbit queue=30p",
        "gilbert=1%,25%,0.1%,80%"
      })
  void weatherIsPrintedAsItIsWritten(String settings) {
    assertThat(read(settings)).hasToString(settings);
  }

  @Test
  void aSettingThatIsNotNamedStays() {
    Weather first = read("delay=20ms loss=1%");
    assertThat(WeatherText.apply(first, List.of("rate=1gbit")))
        .hasToString("delay=20ms loss=1% rate=1000mbit");
    assertThat(WeatherText.apply(first, List.of("clear", "delay=1s"))).hasToString("delay=1000ms");
  }

  @Test
  void theLengthOfBurstsStaysWhenOnlyTheLossIsNamed() {
    Weather first = read("loss=1% burst=4");
    assertThat(WeatherText.apply(first, List.of("loss=2%"))).hasToString("loss=2% burst=4");
    assertThat(WeatherText.apply(first, List.of("loss=2%", "burst=1"))).hasToString("loss=2%");
    assertThat(WeatherText.apply(first, List.of("loss=0%"))).hasToString("clear");
    Weather gilbert = read("gilbert=1%,25%,0%,80%");
    assertThat(WeatherText.apply(gilbert, List.of("loss=2%"))).hasToString("loss=2%");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      textBlock =
          """
          delay=20;delay=20: it must be a number with a unit, such as 20ms
          delay=-1ms;delay=-1ms: it must be a number with a unit, such as 20ms
          delay=11s;delay is 11000ms: it must be from 0ms to 10s
          jitter=5ms;jitter is 5ms: it must be from 0ms to the delay, which is 0ms
          loss=101%;it must be from 0 % to 100 %
          loss=90% burst=2;burst is 2.0 frames for a loss of 90.0 %
          gilbert=1%;it must be four percentages
          rate=0mbit;use blackhole=on
          rate=10bit;at least 1kbit
          queue=100B;at least 1514 bytes
          reorder=yes;reorder=yes: it must be on or off
          latency=5ms;'latency' is no setting; there are: delay
          20ms;'20ms' is no setting: write name=value
          delay=1ms delay=2ms;this setting is given twice
          """)
  void aWrongSettingIsRefusedWithValueAndRule(String settings, String message) {
    assertThatThrownBy(() -> read(settings))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
