package io.viaduct.snapt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class StatusTextTest {
  private static String draining(String group) {
    return StatusText.of(
        "{\"id\":\"snapt-1\",\"state\":\"draining\",\"drainDeadlineMs\":1000,\"group\":\"%s\"}"
            .formatted(group));
  }

  @Test
  void aDrainSaysWhetherSessionsEndOrMoveAtItsDeadline() {
    assertThat(draining("")).contains("refused, all end at 1970-01-01T00:00:01Z");
    assertThat(draining("north"))
        .contains("refused, sessions move to the other members at 1970-01-01T00:00:01Z");
  }

  @ParameterizedTest
  @CsvSource({"60,60", "60s,60", "5m,300", "1h,3600", "604800,604800"})
  void theDeadlineOfADrainMayHaveAUnitAsInTheConfiguration(String text, long seconds) {
    assertThat(new DeadlineOption().convert(text)).isEqualTo(Duration.ofSeconds(seconds));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "0s", "-1", "604801", "169h", "1d", "60 s", "1.5h", "99999999"})
  void anOddDeadlineIsRefusedWithTheRule(String text) {
    assertThatThrownBy(() -> new DeadlineOption().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("from 1 to 604800 seconds, such as 3600, 60s, 5m or 1h");
  }
}
