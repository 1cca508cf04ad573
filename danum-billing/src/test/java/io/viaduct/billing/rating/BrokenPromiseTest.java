package io.viaduct.billing.rating;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.tariff.Curve;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.Promise;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Tariff;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BrokenPromiseTest {
  private static final String APPLICATION = "not-in-the-table"; // priced as its class
  private static final Tariff BOTH = tariff("\"DELAY\":0.2,\"THROUGHPUT\":0.5");
  private static final Curve CURVE = BOTH.curve(ServiceClass.HT_LD, APPLICATION);
  private static final double D_REF = CURVE.referenceDelay();
  private static final double X_REF = CURVE.referenceThroughput();
  private static final Demand BUSY = Measures.demand(BrokenPromise.BUSY_MIN, 0);

  private static Tariff tariff(String refunds) {
    return SeedTariff.at(OperatingPoint.OFFERED, "{\"refunds\":{" + refunds + "}}");
  }

  private static Optional<Promise> broken(
      Tariff tariff, DelaySource source, double delayMs, Demand demand, double served, long bytes) {
    FlowMeasure flow = Measures.flow(ServiceClass.HT_LD, APPLICATION, bytes, delayMs, demand);
    Placement placement = new Placement(served, served, served, 60_000, 1);
    BilledDelay delay = new BilledDelay(delayMs, null, source, false);
    return BrokenPromise.of(flow, placement, delay, CURVE, tariff).map(BrokenPromise::promise);
  }

  @Test
  void aMeasuredDelayAboveTheReferenceBreaksThePromiseAndTheReferenceItselfDoesNot() {
    assertThat(broken(BOTH, DelaySource.MEASURED, Math.nextUp(D_REF), Demand.UNKNOWN, 1, 1))
        .contains(Promise.DELAY);
    assertThat(broken(BOTH, DelaySource.MEASURED, D_REF, Demand.UNKNOWN, 1, 1)).isEmpty();
  }

  @Test
  void aDelayThatIsOnlyAssumedBreaksNoPromise() {
    for (DelaySource source : DelaySource.values()) {
      assertThat(broken(BOTH, source, 2 * D_REF, Demand.UNKNOWN, 1, 1).isPresent())
          .as("%s", source)
          .isEqualTo(source == DelaySource.MEASURED);
    }
  }

  @Test
  void aFlowThatWasBusyForHalfOfTheTimeIsPromisedItsThroughput() {
    double less = Math.nextDown(X_REF);
    assertThat(broken(BOTH, DelaySource.MEASURED, 0, BUSY, less, 1)).contains(Promise.THROUGHPUT);
    assertThat(broken(BOTH, DelaySource.MEASURED, 0, BUSY, X_REF, 1)).isEmpty();
    Demand idle = Measures.demand(Math.nextDown(BrokenPromise.BUSY_MIN), 0);
    assertThat(broken(BOTH, DelaySource.MEASURED, 0, idle, less, 1)).isEmpty();
    assertThat(broken(BOTH, DelaySource.MEASURED, 0, Demand.UNKNOWN, less, 1)).isEmpty();
  }

  @Test
  void theWordOfADeviceThatItWasBusyBreaksNoPromise() {
    Demand told = new Demand(1.0, 0.0, Demand.End.DEVICE);
    assertThat(broken(BOTH, DelaySource.MEASURED, 0, told, 1, 1)).isEmpty();
  }

  @Test
  void ofTwoBrokenPromisesThatWithTheLargerRefundCounts() {
    Tariff delay = tariff("\"DELAY\":0.5,\"THROUGHPUT\":0.2");
    assertThat(broken(BOTH, DelaySource.MEASURED, 2 * D_REF, BUSY, 1, 1))
        .contains(Promise.THROUGHPUT);
    assertThat(broken(delay, DelaySource.MEASURED, 2 * D_REF, BUSY, 1, 1)).contains(Promise.DELAY);
  }

  @Test
  void nothingIsBrokenWithoutARefundOrWithoutBytes() {
    Tariff none = tariff("\"DELAY\":0.0");
    assertThat(broken(none, DelaySource.MEASURED, 2 * D_REF, BUSY, 1, 1)).isEmpty();
    assertThat(broken(BOTH, DelaySource.MEASURED, 2 * D_REF, BUSY, 1, 0)).isEmpty();
  }
}
