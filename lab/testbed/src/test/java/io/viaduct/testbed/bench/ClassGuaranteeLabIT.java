package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.Alone;
import io.viaduct.testbed.traffic.Way;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Runs `./viaduct bench classes` on a line that falls from 10 Mbit/s to 2 in the middle, both
/// ways. HT_HD offers twice the line's rate. Through the tunnel the low-delay classes keep their
/// packets and their delay; without it they lose both. Bulk uses the remaining rate.
@Alone
class ClassGuaranteeLabIT {
  private static final String ARRIVED = "arrivedKbitPerSecond";
  private static final String FALLING = "10-2"; // Mbit/s, in the first and in the second half

  /// Three quarters of the line's mean rate, in kbit/s: less than what the other classes leave.
  private static final double BULK_LEAST = 4_500;

  @TempDir private Path directory;

  @Test
  void lowDelayClassesAreSafeFromBulkOnAFullLine() throws Exception {
    JsonNode report =
        BenchRun.of(
            "classes",
            directory,
            "--seconds=10",
            "--mbit=" + FALLING,
            "--bulk=ONE",
            "--order=priority",
            "--peers=none");
    for (Way way : Way.values()) {
      holds(report, way);
      assertThat(line(report, FALLING, way, ViaductPeer.NAME, "HT_HD").get(ARRIVED).asDouble())
          .as("bulk fills the rest %s", way)
          .isGreaterThan(BULK_LEAST);
    }
  }

  @Test
  void whenTwoClassesWantTheWholeLineEachKeepsItsDelayAndTheLowerItsFloor() throws Exception {
    JsonNode report =
        BenchRun.of(
            "classes",
            directory,
            "--seconds=6",
            "--mbit=10",
            "--bulk=TWO",
            "--order=priority",
            "--way=UP",
            "--without-direct",
            "--peers=none");
    for (TrafficClass of : TrafficClass.values()) {
      JsonNode line = line(report, "10", Way.UP, ViaductPeer.NAME, of.name());
      assertThat(line.get("delayMsP99").asDouble())
          .as("what Table I allows: " + line)
          .isLessThan(of.delayMsMax);
    }
    JsonNode lowest = line(report, "10", Way.UP, ViaductPeer.NAME, "HT_HD");
    assertThat(lowest.path("floorGoal").path("won").asBoolean(false)).as("" + lowest).isTrue();
  }

  /// In one of six runs on an idle machine the sender did not learn the rate of the line, so that
  /// no order had an effect (docs/measurements/classes.md). So there are three chances.
  @Test
  void fiveGreedyFlowsHaveNearlyTheLargestUtilityByMaxWeight() throws Exception {
    List<Double> percents = new ArrayList<>();
    while (percents.size() < 3 && percents.stream().noneMatch(each -> each > 95)) {
      JsonNode report =
          BenchRun.of(
              "classes",
              directory,
              "--seconds=8",
              "--mbit=10",
              "--bulk=FIVE",
              "--order=max-weight",
              "--way=UP",
              "--without-direct",
              "--peers=none");
      JsonNode line = line(report, "10", Way.UP, ViaductPeer.NAME + " max-weight", "HT_HD");
      percents.add(line.get("utilityPercent").asDouble());
    }
    assertThat(percents).anyMatch(each -> each > 95);
  }

  private static void holds(JsonNode report, Way way) {
    for (String of : List.of("LT_LD", "HT_LD", "LT_HD")) {
      JsonNode line = line(report, FALLING, way, ViaductPeer.NAME, of);
      assertThat(received(line)).as("arrives: " + line).isGreaterThan(0.96);
      // The delay without a queue is about 0. Its causes are the burst before the line was known to
      // be busy, the rest of that queue, and the wait for further packets. Table I allows at least
      // 200 ms for low delay.
      assertThat(line.get("delayMsP99").asDouble()).as("delay: " + line).isLessThan(200);
    }
    JsonNode direct = line(report, FALLING, way, "direct", "HT_LD");
    assertThat(received(direct)).as("without the tunnel: " + direct).isLessThan(0.96);
  }

  private static JsonNode line(JsonNode report, String access, Way way, String by, String of) {
    return StreamSupport.stream(report.get("rows").spliterator(), false)
        .filter(line -> line.get("lineMbitPerSecond").asString().equals(access))
        .filter(line -> line.get("way").asString().equals(way.name()))
        .filter(line -> line.get("by").asString().equals(by))
        .filter(line -> line.get("class").asString().equals(of))
        .findFirst()
        .orElseThrow();
  }

  private static double received(JsonNode line) {
    return line.get("packetsReceived").asDouble() / line.get("packetsSent").asDouble();
  }
}
