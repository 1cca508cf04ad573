package io.viaduct.testbed.sip;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SipRowsTest {
  @Test
  void growthIsThatOfTheMediansOfTheThirds() {
    List<Double> memory = List.of(100.0, 90.0, 400.0, 400.0, 400.0, 100.0, 120.0, 130.0, 999.0);
    assertThat(SipRows.growth(memory, Double::doubleValue)).isEqualTo(1.3);
    assertThat(SipRows.growth(List.of(0.0, 5.0, 2.0), Double::doubleValue)).isEqualTo(3.0);
    assertThat(SipRows.growth(List.of(1.0, 2.0), Double::doubleValue)).isNaN();
  }

  @Test
  void theSharesOfAnOverloadAddUp() {
    SippResult result = new SippResult(300, 60, 140, 30, 900, 1.0, 2.0, 3.0, 4.0);
    assertThat(result.succeededPercent()).isEqualTo(30.0);
    assertThat(result.refusedPercent()).isEqualTo(15.0);
    assertThat(result.unansweredPercent()).isEqualTo(55.0);
  }
}
