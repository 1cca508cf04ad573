package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.viaduct.testbed.process.Unshared;
import java.util.List;
import org.junit.jupiter.api.Test;

class SnaptsRowTest {
  @Test
  void eachRowHasANameOfItsOwnAndALaboratoryThatCanBeStarted() {
    assertThat(SnaptsRow.all()).extracting(SnaptsRow::name).doesNotHaveDuplicates();
    for (SnaptsRow row : SnaptsRow.all()) {
      assertThatCode(() -> row.type().getMethod("main", String[].class))
          .as(row.name())
          .doesNotThrowAnyException();
      assertThat(row.goals()).as(row.name()).isNotEmpty();
    }
  }

  @Test
  void aReadingOfARowHasANameOfItsOwnInFilesAndInWhatIsPrinted() {
    for (SnaptsRow row : SnaptsRow.all()) {
      List<Reading> readings = row.goals().stream().map(HandoverGoal::reading).toList();
      assertThat(readings).extracting(Reading::id).doesNotHaveDuplicates();
      assertThat(readings).extracting(Reading::title).doesNotHaveDuplicates();
    }
  }

  @Test
  void numbersAreReadFromWholeLinesInTheirOrder() {
    var ended =
        new Unshared.Ended(
            0, "served ms: 12\nnot served ms: 3\nserved ms: -1.5E-4\nserved ms: [1, 2]\n");
    assertThat(ended.numbers("served ms")).containsExactly(12.0, -1.5e-4);
    assertThat(ended.numbers("lost")).isEmpty();
  }
}
