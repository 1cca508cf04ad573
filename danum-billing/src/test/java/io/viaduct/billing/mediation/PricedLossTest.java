package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.viaduct.usage.v1.FlowUsage;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tests that a device cannot make its charges zero by what it says of loss. 30 packets arrive.
class PricedLossTest {
  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private final String alice = "alice-" + tag;
  private final MediationRig rig = new MediationRig("owner-" + tag);

  @BeforeEach
  void open() {
    rig.openAccount(alice);
  }

  @AfterEach
  void everyInvariantHolds() {
    assertThat(rig.broken()).isEmpty();
  }

  private long charge(int sequence, int lost) {
    FlowUsage flow = Reports.flow(1, "hangout-video", 6_000_000, 5_900_000, 60);
    FlowUsage told =
        flow.toBuilder().setDown(flow.getDown().toBuilder().setLostPackets(lost)).build();
    rig.submit(
        Reports.report(
                "snapt-" + tag, "s-" + tag, 1, sequence, alice, rig.clock.instant(), List.of(told))
            .build());
    return rig.jdbc.queryForObject(
        "select charge_microdenarii from charge where account = ? order by id desc limit 1",
        Long.class,
        alice);
  }

  @ParameterizedTest
  @CsvSource({"1, 0.0323", "2, 0.05", "10, 0.05", "1000000, 0.05"})
  void aPriceCountsAtMostFivePercentOfLoss(int lost, double counted) {
    long honest = charge(0, 0);
    assertThat(honest).isPositive();
    assertThat((double) charge(1, lost) / honest).isCloseTo(1 - 5 * counted, within(0.001));
  }
}
