package io.viaduct.bridge.reporting;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes the records of the topic of verdicts. Input: the value of a record. Rule: it is one of
/// billing's verdicts, or it is passed over.
final class QueuedVerdictFuzz {
  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    VerdictReader.parse(input)
        .ifPresent(verdict -> {
          switch (verdict.getVerdict()) {
            case POSTED, ALREADY_POSTED, CONFLICT, REJECTED, DEFERRED, PROVISIONAL, HELD -> {}
            case QUEUED, REPORT_VERDICT_UNSPECIFIED, UNRECOGNIZED ->
                throw new AssertionError("passed on: " + verdict);
          }
        });
  }

  static List<byte[]> seeds() {
    return Stream.of(ReportVerdict.POSTED, ReportVerdict.QUEUED, ReportVerdict.HELD)
        .map(verdict ->
            ReportAck.newBuilder()
                .setSnaptId("snapt-1")
                .setSessionId("s")
                .setSequence(3)
                .setVerdict(verdict)
                .build()
                .toByteArray())
        .toList();
  }
}
