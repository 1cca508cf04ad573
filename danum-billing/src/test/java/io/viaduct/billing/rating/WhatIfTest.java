package io.viaduct.billing.rating;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Terms;
import java.util.List;
import org.junit.jupiter.api.Test;

class WhatIfTest {
  private static final long INTERVAL_MS = 60_000;
  private static final FlowMeasure VIDEO =
      Measures.flow(ServiceClass.HT_LD, "skype-video", 2_550_000, 140, Measures.demand(0.5, 100));
  private static final FlowMeasure SECOND = Measures.carrying(VIDEO, 450_000, 400_000);
  private static final FlowMeasure OTHER =
      Measures.flow(ServiceClass.HT_LD, "hangout-video", 1_425_000, 150, Demand.UNKNOWN);
  private static final List<FlowMeasure> REPORT = List.of(VIDEO, OTHER, SECOND);

  private static List<FlowMeasure> apply(WhatIf whatIf) {
    return whatIf.applyTo(REPORT, VIDEO, INTERVAL_MS);
  }

  @Test
  void nothingChangedLeavesTheReportAsItIs() {
    assertThat(apply(new WhatIf(false, null, null, null))).isEqualTo(REPORT);
  }

  @Test
  void onlyTheFlowsOfTheApplicationAreChanged() {
    List<FlowMeasure> changed = apply(new WhatIf(true, 80.0, 0.04, null));
    assertThat(changed.get(1)).isEqualTo(OTHER);
    for (FlowMeasure flow : List.of(changed.get(0), changed.get(2))) {
      assertThat(flow.savedBytes()).isZero();
      assertThat(flow.delayMs()).isEqualTo(80);
      assertThat(flow.delaySource()).isEqualTo(DelaySource.MEASURED);
      assertThat(flow.loss()).isEqualTo(0.04);
      assertThat(flow.demand()).isEqualTo(VIDEO.demand());
    }
  }

  @Test
  void moreLossThanABillCountsIsCountedAsInABill() {
    assertThat(apply(new WhatIf(false, null, 0.1, null)).getFirst().loss())
        .isEqualTo(FlowMeasure.LOSS_MAX);
  }

  @Test
  void theThroughputIsWhatThePathOffersToAllFlowsOfTheApplicationTogether() {
    // The two flows carry 3 000 000 bytes in the interval: 400 kbit/s.
    assertThat(WhatIf.carriedKbitPerSecond(REPORT, VIDEO, INTERVAL_MS)).isEqualTo(400);
    List<RatedFlow> rated =
        RatedReport.of(
                apply(new WhatIf(false, null, null, 1000.0)),
                INTERVAL_MS,
                Terms.of(SeedTariff.at(OperatingPoint.OFFERED)))
            .flows();
    assertThat(rated.get(0).placement().offered()).isEqualTo(1000);
    assertThat(rated.get(2).placement().offered()).isEqualTo(1000);
    assertThat(rated.get(1).placement().offered()).isEqualTo(190);
  }

  @Test
  void whereTheMeasuredPointIsPricedTheSameBytesNeedAnotherTime() {
    List<FlowMeasure> slower = apply(new WhatIf(false, null, null, 170.0));
    assertThat(slower.getFirst().durationMs()).isEqualTo(120_000);
    RatedFlow rated =
        RatedReport.of(slower, INTERVAL_MS, Terms.of(SeedTariff.read())).flows().getFirst();
    assertThat(rated.placement().offered()).isEqualTo(170);
    assertThat(rated.placement().receivedMs()).isEqualTo(120_000);
  }
}
