package io.viaduct.testbed.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.chaos.ChaosPlan.Point;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ChaosPlanTest {
  private static final List<Fault> FAULTS = Fault.of(Transport.KAFKA);

  private static List<Point> points(long seed, int count) {
    var plan = new ChaosPlan(seed, FAULTS);
    return Stream.generate(plan::next).limit(count).toList();
  }

  @Test
  void equalSeedsGiveEqualPointsAndOthersDoNot() {
    assertThat(points(7, 100)).isEqualTo(points(7, 100)).isNotEqualTo(points(8, 100));
  }

  @Test
  void everyFaultOccursOnceBeforeOneOccursAgain() {
    int faults = FAULTS.size();
    assertThat(points(7, faults).stream().map(Point::fault))
        .containsExactlyInAnyOrderElementsOf(FAULTS);
    assertThat(points(7, 2 * faults).stream().map(Point::fault).skip(faults))
        .containsExactlyInAnyOrderElementsOf(FAULTS);
  }

  @Test
  void onlyALastingFaultHasALength() {
    assertThat(points(7, 100))
        .allSatisfy(point ->
            assertThat(point.length().compareTo(Duration.ZERO) > 0)
                .isEqualTo(point.fault().isLasting()));
  }

  @Test
  void aRunWithoutABrokerHasNoFaultOfABroker() {
    assertThat(Fault.of(Transport.GRPC))
        .hasSize(FAULTS.size() - 4)
        .doesNotContain(Fault.BROKER_KILLED, Fault.BROKER_FROZEN)
        .doesNotContain(Fault.BRIDGE_BROKER_CUT, Fault.BILLING_BROKER_CUT);
  }
}
