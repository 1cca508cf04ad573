package io.viaduct.testbed.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// The format of traces, and the shipped ones.
class TraceTest {
  @ParameterizedTest
  @EnumSource
  void aShippedTraceIsWhatItsGeneratorMakes(Journey journey) {
    assertThat(journey.shipped()).isEqualTo(journey.text(Journey.SEED));
    assertThat(journey.text(2)).isNotEqualTo(journey.text(Journey.SEED));
  }

  @ParameterizedTest
  @EnumSource
  void aShippedTraceHasALinkThatGoesDownAndComesBack(Journey journey) {
    Trace trace = Trace.parse(journey.title(), journey.shipped().lines().toList());
    assertThat(trace.links()).containsExactly("A", "B");
    List<Boolean> states =
        trace.rows().stream().filter(row -> row.link().equals("A")).map(TraceRow::isUp).toList();
    int lost = states.indexOf(false);
    assertThat(lost).isPositive();
    assertThat(states.subList(lost, states.size())).contains(true);
  }

  @Test
  void theTextOfATraceIsReadBack() {
    var trace =
        new Trace(List.of(new TraceRow(0, "A", true, 20.5, 1.25, 10), TraceRow.down(1500, "B")));
    assertThat(Trace.parse("t", trace.text("made by hand").lines().toList())).isEqualTo(trace);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          0,A,up,20,1;a row must have 6 values
          x,A,up,20,1,5;time_s is 'x': it must be a number from 0 to 86400
          0,A,off,20,1,5;a state is up or down
          0,wlan,up,20,1,5;a link is one letter from A to H
          0,A,up,20,101,5;loss_percent is '101': it must be a number from 0 to 100
          0,A,up,NaN,1,5;rtt_ms is 'NaN'
          0,A,up,20,1,0.0001;a rate is 0 (no limit) or at least 0.001
          """)
  void aWrongRowIsRefusedWithItsLineAndRule(String row, String rule) {
    assertThatThrownBy(() -> Trace.parse("my.csv", List.of("# mine", Trace.HEADER, row)))
        .hasMessageContaining("my.csv:3: ")
        .hasMessageContaining(rule);
  }

  @Test
  void timeMustNotRunBackwardsAndTheHeaderMustBeThere() {
    assertThatThrownBy(() -> Trace.parse("t", List.of(Trace.HEADER, "2,A,down,,,", "1,A,down,,,")))
        .hasMessageContaining("t:3: ")
        .hasMessageContaining("backwards");
    assertThatThrownBy(() -> Trace.parse("t", List.of("0,A,down,,,")))
        .hasMessageContaining("the first line must be");
  }
}
