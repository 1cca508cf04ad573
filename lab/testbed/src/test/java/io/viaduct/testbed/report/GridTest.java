package io.viaduct.testbed.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GridTest {
  private record Line(String peer, double delayMs, double[] mbit) {}

  private static final Grid<Line> GRID =
      new Grid<Line>()
          .text("by", "peer", Line::peer)
          .number("delay ms", "delayMs", 1, Line::delayMs)
          .rounds("Mbit/s", "mbitPerSecond", _ -> 0, Line::mbit)
          .member("rounds", line -> line.mbit.length)
          .goal("goal", "goal", line -> goal(line));

  private static Optional<Verdict> goal(Line line) {
    return line.peer.equals("direct")
        ? Optional.empty()
        : Optional.of(Verdict.atMost(20, "ms", line.delayMs));
  }

  private static final List<Line> LINES =
      List.of(
          new Line("direct", 1.25, new double[] {9, 7, 8}),
          new Line("ours", Double.NaN, new double[0]));

  @Test
  void aColumnGivesCellAndMemberAndAMedianKeepsItsRounds() {
    assertThat(GRID.markdown(LINES))
        .isEqualTo(
            """
            | by | delay ms | Mbit/s | goal |
            |---|--:|--:|---|
            | direct | 1.3 | 8 |  |
            | ours | – | – | ≤ 20 ms: not measured |
            """);
    assertThat(GRID.members(LINES).getFirst())
        .containsEntry("peer", "direct")
        .containsEntry("delayMs", 1.25)
        .containsEntry("rounds", 3)
        .doesNotContainKey("goal")
        .hasEntrySatisfying(
            "mbitPerSecond", value -> assertThat(value.toString()).contains("median=8.0"));
  }

  @Test
  void aValueThatWasNotMeasuredHasNoMember() {
    assertThat(GRID.members(LINES).getLast()).containsOnlyKeys("peer", "rounds", "goal");
  }

  @Test
  void theTextTableAlignsNumbersToTheRight() {
    var table = new Table().row("class", "ms").row("bulk", "7.1").row("voice", "100.0");
    assertThat(table).hasToString("class     ms\nbulk     7.1\nvoice  100.0\n");
  }
}
