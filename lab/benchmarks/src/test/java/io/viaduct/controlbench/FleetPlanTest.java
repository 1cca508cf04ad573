package io.viaduct.controlbench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FleetPlanTest {
  @Test
  void eachDeviceHasAnAddressOfItsOwn() {
    assertThat(IntStream.range(0, 20_000).mapToObj(FleetPlan::address).distinct()).hasSize(20_000);
    assertThat(FleetPlan.address(0)).isEqualTo("10.64.1.0");
    assertThat(FleetPlan.address(19_999)).isEqualTo("10.64.79.31");
    assertThatThrownBy(() -> FleetPlan.address(60_000))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aDeviceKeepsItsKey() {
    assertThat(FleetPlan.key(7)).isEqualTo(FleetPlan.key(7)).hasSize(32);
    assertThat(FleetPlan.key(8)).isNotEqualTo(FleetPlan.key(7));
  }

  @Test
  void theLastOfAFleetIsItsHundredthPercentile() {
    List<Long> ms = List.of(30L, 10L, 20L, 40L);
    assertThat(ControlRounds.percentile(ms, 0.5)).isEqualTo(30);
    assertThat(ControlRounds.percentile(ms, 1)).isEqualTo(40);
  }
}
