package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class HandoverEventsTest {
  @Test
  void theManualOfTheLaboratoryNamesEachEvent() throws Exception {
    String manual = Files.readString(Path.of("README.md"));
    for (HandoverEvent event : HandoverEvents.all()) {
      assertThat(manual).contains("| `" + event.name() + "` |");
    }
  }

  @Test
  void eachReadingWithAGoalHasARowInTheReport() {
    for (HandoverEvent event : HandoverEvents.all()) {
      for (HandoverGoal goal : event.goals()) {
        assertThat(Reading.all()).as(event.name()).contains(goal.reading());
      }
    }
  }

  @Test
  void eachReadingHasAnIdOfItsOwn() {
    assertThat(Reading.all()).extracting(Reading::id).doesNotHaveDuplicates();
  }
}
