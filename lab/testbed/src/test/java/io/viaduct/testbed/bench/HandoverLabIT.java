package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Runs `./viaduct bench handover` briefly. Checks what a busy machine cannot spoil; how long an
/// outage is, and what is lost when a link goes, are measured on an idle machine.
class HandoverLabIT {
  private static final double PATIENCE_MS = 5_000;

  @TempDir private Path directory;

  @Test
  void aStreamGoesOnWhenItsLinkIsLostOrForbidden() throws Exception {
    JsonNode report =
        BenchRun.of(
            "handover",
            directory,
            "--only=link-down,planned",
            "--peers=viaduct",
            "--repetitions=2");
    for (String event : new String[] {"link-down", "planned"}) {
      for (String way : new String[] {"up", "down"}) {
        assertThat(reading(report, event, way + "Ended").get("sum").asDouble(-1)).isZero();
        assertThat(reading(report, event, way + "Duplicated").get("sum").asDouble(-1)).isZero();
        JsonNode outage = reading(report, event, way + "OutageMs");
        assertThat(outage.get("repetitions").size()).isEqualTo(2);
        assertThat(outage.get("worst").asDouble()).isBetween(0.0, PATIENCE_MS);
      }
    }
    for (String way : new String[] {"up", "down"}) {
      JsonNode lost = reading(report, "planned", way + "Lost");
      assertThat(lost.get("sum").asDouble(-1)).as("lost %s in planned moves", way).isZero();
    }
    assertThat(directory.resolve("handover-repetitions.jsonl")).exists();
  }

  private static JsonNode reading(JsonNode report, String event, String reading) {
    return StreamSupport.stream(report.get("rows").spliterator(), false)
        .filter(row -> row.get("event").asString().equals(event))
        .filter(row -> row.get("reading").asString().equals(reading))
        .map(row -> row.get(ViaductPeer.NAME))
        .findFirst()
        .orElseThrow(() -> new AssertionError(event + ", " + reading + " in " + report));
  }
}
