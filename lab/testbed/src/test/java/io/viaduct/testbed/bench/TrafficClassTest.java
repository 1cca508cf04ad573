package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.wire.ServiceClass;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrafficClassTest {
  @Test
  void ratesOfFlowsAreSpreadOverTheRangeOfTheClass() {
    double before = TrafficClass.HT_HD.lowest;
    for (int i = 0; i < 5; i++) {
      double rate = TrafficClass.HT_HD.rate(i, 5);
      assertThat(rate).isBetween(before, TrafficClass.HT_HD.highest);
      before = rate;
    }
    assertThat(TrafficClass.LT_HD.rate(0, 1)).isBetween(122_000.0, 123_000.0);
  }

  @Test
  void everyClassHasPortsOfItsOwn() {
    assertThat(
            List.of(TrafficClass.values()).stream()
                .flatMap(
                    of -> java.util.stream.IntStream.range(0, 5).mapToObj(i -> of.firstPort + i)))
        .doesNotHaveDuplicates();
  }

  @Test
  void lowDelayIsServedFirstAndOfEachTheLowThroughput() {
    assertThat(TrafficClass.LT_LD.isAbove(TrafficClass.HT_LD)).isTrue();
    assertThat(TrafficClass.HT_LD.isAbove(TrafficClass.LT_HD)).isTrue();
    assertThat(TrafficClass.LT_HD.isAbove(TrafficClass.HT_HD)).isTrue();
    assertThat(TrafficClass.HT_HD.isAbove(TrafficClass.HT_HD)).isFalse();
  }

  @Test
  void waitingForCompanyTakesATenthOfWhatTheClassBearsAtMost() {
    List<Duration> deadlines = TunnelSettings.defaults().classDeadlines();
    for (TrafficClass of : TrafficClass.values()) {
      Duration deadline = deadlines.get(ServiceClass.valueOf(of.name()).ordinal());
      assertThat(deadline).as("%s", of).isLessThanOrEqualTo(Duration.ofMillis(of.delayMsMax / 10));
    }
  }

  @Test
  void aNameThatDoesNotExistIsRefusedWithThoseThatDo() {
    assertThatThrownBy(
            () -> Selection.of(List.of("tcp", "text"), name -> name, List.of("udp"), "measure"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no measure 'udp'; there are tcp, text");
  }
}
