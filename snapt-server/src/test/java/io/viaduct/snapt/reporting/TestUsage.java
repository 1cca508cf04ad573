package io.viaduct.snapt.reporting;

import io.viaduct.snapt.metering.IntervalUsage;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/// Usage without a token: of a log of the version before, or where tokens do not matter.
public final class TestUsage {
  private TestUsage() {}

  public static IntervalUsage of(UsageReport report) {
    return new IntervalUsage(report, SignedSessionToken.getDefaultInstance(), true);
  }

  static List<IntervalUsage> list(UsageReport first, UsageReport... more) {
    return Stream.concat(Stream.of(first), Stream.of(more)).map(TestUsage::of).toList();
  }

  /// Receipts that nobody is asked for.
  public static Receipts noReceipts(ReportSpool spool) {
    return new Receipts(spool, (_, _, _, _) -> {}, Duration.ZERO, () -> {});
  }
}
