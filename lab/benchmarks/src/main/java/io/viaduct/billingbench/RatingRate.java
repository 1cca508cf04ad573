package io.viaduct.billingbench;

import io.viaduct.billing.rating.DelaySource;
import io.viaduct.billing.rating.Demand;
import io.viaduct.billing.rating.FlowMeasure;
import io.viaduct.billing.rating.RatedReport;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.billing.tariff.Terms;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// Flow intervals that one core rates under the shipped tariff, without a database.
final class RatingRate {
  private static final int REPORTS = 500;
  private static final List<String> APPLICATIONS =
      List.of("web", "voice-call", "ssh", "skype-video");
  private static final ServiceClass[] CLASSES = {
    ServiceClass.HT_HD, ServiceClass.HT_LD, ServiceClass.LT_LD, ServiceClass.HT_LD
  };

  private final List<List<FlowMeasure>> reports = new ArrayList<>();
  private final Terms terms = Terms.of(TariffDocument.initial());

  RatingRate(int flows, long seed) {
    Random random = new Random(seed);
    for (int report = 0; report < REPORTS; report++) {
      List<FlowMeasure> measures = new ArrayList<>();
      for (int i = 0; i < flows; i++) {
        long bytes = 1 + random.nextInt(1_000_000);
        measures.add(
            new FlowMeasure(
                CLASSES[i % CLASSES.length],
                APPLICATIONS.get(i % APPLICATIONS.size()),
                bytes,
                bytes * 2 / 3,
                random.nextDouble() * 0.02,
                60_000,
                10 + random.nextDouble() * 100,
                2.0,
                DelaySource.MEASURED,
                new Demand(random.nextDouble(), random.nextDouble() * 5_000, Demand.End.SNAPT)));
      }
      reports.add(List.copyOf(measures));
    }
  }

  /// Returns flow intervals per second of the calling thread.
  double perSecond(double seconds) {
    long beginNs = System.nanoTime();
    long endNs = beginNs + (long) (seconds * 1e9);
    long rated = 0;
    long charged = 0;
    do {
      for (List<FlowMeasure> report : reports) {
        RatedReport result = RatedReport.of(report, 60_000, terms);
        rated += result.flows().size();
        charged += result.lines().charge().value();
      }
    } while (System.nanoTime() - endNs < 0);
    if (charged <= 0) {
      throw new IllegalStateException(
          "nothing was charged"); // the result is used, so it is computed
    }
    return rated / ((System.nanoTime() - beginNs) / 1e9);
  }
}
