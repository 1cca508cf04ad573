package io.viaduct.billing.queue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.usage.v1.QueuedReport;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes the records of the topic of reports. Input: the value of a record. Rule: it has a report,
/// or it is passed over with a reason. `IngestFuzz` covers the report itself.
final class QueuedReportFuzz {
  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    switch (QueuedReports.parse(input)) {
      case QueuedReports.Content.Report(QueuedReport queued) -> {
        if (!queued.hasReport()) {
          throw new AssertionError("taken without a report: " + queued);
        }
      }
      case QueuedReports.Content.None(QueueMeters.Outcome why) -> {
        switch (why) {
          case MALFORMED, TOO_LONG, EMPTY -> {}
          case TAKEN, FAILED -> throw new AssertionError("passed over as " + why);
        }
      }
    }
  }

  static List<byte[]> seeds() {
    Instant now = Instant.ofEpochMilli(1_790_000_000_000L);
    QueuedReport queued =
        QueuedReport.newBuilder()
            .setReport(
                Reports.signed(
                    Reports.report("snapt-1", "s", 1, 2, "alice", now, Reports.workedExample())
                        .build()))
            .setReceivedMs(now.toEpochMilli())
            .addTokenKeys(Reports.PROVEN.tokenKey())
            .build();
    return List.of(queued.toByteArray(), queued.toBuilder().clearReport().build().toByteArray());
  }
}
