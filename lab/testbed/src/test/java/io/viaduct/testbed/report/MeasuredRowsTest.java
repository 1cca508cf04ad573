package io.viaduct.testbed.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MeasuredRowsTest {
  @TempDir private Path folder;

  private MeasuredRows open(boolean isResumed) throws Exception {
    return MeasuredRows.open(folder.resolve("rows.jsonl"), Map.of("flows", "20"), isResumed);
  }

  @Test
  void aResumedRunHasTheRoundsOfTheFormerOneButNotACutLine() throws Exception {
    MeasuredRows first = open(false);
    first.add("post@100", 30_000);
    first.add("post@100", 31_000);
    Files.writeString(
        folder.resolve("rows.jsonl"), "{\"row\":\"post@100\",\"val", StandardOpenOption.APPEND);
    MeasuredRows again = open(true);
    assertThat(again.values("post@100")).containsExactly(30_000, 31_000);
    again.add("post@100", 29_000);
    assertThat(open(true).count("post@100")).isEqualTo(3);
    assertThat(open(false).count("post@100")).isZero();
  }

  @Test
  void roundsOfOtherSettingsAreNotMixed() throws Exception {
    open(false);
    assertThatThrownBy(
            () -> MeasuredRows.open(folder.resolve("rows.jsonl"), Map.of("flows", "10"), true))
        .hasMessageContaining("is of another run");
  }
}
