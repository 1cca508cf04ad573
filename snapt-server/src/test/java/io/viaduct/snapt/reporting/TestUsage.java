package io.viaduct.snapt.reporting;

import io.viaduct.snapt.metering.IntervalUsage;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/// Makes usage without a token: from a log of the previous version, or for tests without tokens.
public final class TestUsage {
  private TestUsage() {}

  public static IntervalUsage of(UsageReport report) {
    return new IntervalUsage(report, SignedSessionToken.getDefaultInstance(), true);
  }

  static List<IntervalUsage> list(UsageReport first, UsageReport... more) {
    return Stream.concat(Stream.of(first), Stream.of(more)).map(TestUsage::of).toList();
  }

  /// Returns receipts for which no device is asked.
  public static Receipts noReceipts(ReportSpool spool) {
    return new Receipts(spool, (_, _, _, _) -> {}, Duration.ZERO, () -> {});
  }
}
