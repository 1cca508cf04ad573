package io.viaduct.billing.mediation;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.usage.TokenKeys;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes reports as the bridge forwards them. Input: a UsageReport. Rule: it becomes an interval
/// whose sums do not overflow, or it is refused with a reason.
final class IngestFuzz {
  private static final Instant NOW = Instant.ofEpochMilli(1_790_000_000_000L);

  private static final ReportValidation VALIDATION =
      new ReportValidation(MediationRig.PROOFS, TokenKeys.of(List.of(Reports.PROVEN.tokenKey())));

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    try {
      SignedUsageReport signed =
          SignedUsageReport.newBuilder()
              .setReport(com.google.protobuf.ByteString.copyFrom(input))
              .build();
      if (VALIDATION.validate(signed, NOW) instanceof ReportValidation.Result.Valid(var interval)) {
        if (interval.endedAt().isAfter(NOW.plus(Duration.ofMinutes(1)))
            || interval.endedAt().isBefore(interval.startedAt())
            || interval.preBytes() < 0
            || interval.postBytes() < 0) {
          throw new AssertionError("billed: " + interval);
        }
      }
      VALIDATION.validate(SignedUsageReport.parseFrom(input), NOW);
    } catch (InvalidProtocolBufferException _) {
      return; // gRPC ends the stream
    }
  }

  static List<byte[]> seeds() {
    UsageReport report =
        Reports.report("snapt-1", "s", 1, 2, "alice", NOW, Reports.workedExample()).build();
    return List.of(
        report.toByteArray(),
        report.toBuilder().setEndMs(Long.MAX_VALUE).build().toByteArray(),
        Reports.signed(report).toByteArray());
  }
}
