package io.viaduct.bridge.reporting;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SubmitResponse;
import io.viaduct.usage.v1.UsageReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes billing's verdicts on a batch of three reports. Input: the SubmitResponse. Rules: each
/// report is acknowledged once, with its own name. If the answer names another report or has no
/// verdict, the report is deferred.
final class BillingAnswerFuzz {
  private static final Set<ReportVerdict> VERDICTS =
      Set.of(
          ReportVerdict.POSTED,
          ReportVerdict.ALREADY_POSTED,
          ReportVerdict.CONFLICT,
          ReportVerdict.REJECTED,
          ReportVerdict.DEFERRED,
          ReportVerdict.PROVISIONAL,
          ReportVerdict.HELD);
  private static final List<UsageReport> REPORTS =
      LongStream.range(0, 3).mapToObj(BillingAnswerFuzz::report).toList();

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    List<ReportAck> lines;
    try {
      lines = SubmitResponse.parseFrom(input).getAcksList();
    } catch (InvalidProtocolBufferException _) {
      return; // gRPC fails the call, and the batch is deferred
    }
    List<List<ReportAck>> told = new ArrayList<>();
    List<PendingReport> batch = new ArrayList<>();
    for (UsageReport report : REPORTS) {
      List<ReportAck> acks = new ArrayList<>();
      told.add(acks);
      batch.add(new PendingReport(SignedUsageReport.getDefaultInstance(), report, acks::add));
    }
    MediationForwarder.acknowledge(batch, lines);
    for (int i = 0; i < REPORTS.size(); i++) {
      ReportAck line = i < lines.size() ? lines.get(i) : ReportAck.getDefaultInstance();
      ReportAck ack = told.get(i).getFirst();
      boolean answered = names(line, REPORTS.get(i)) && VERDICTS.contains(line.getVerdict());
      if (told.get(i).size() != 1
          || !names(ack, REPORTS.get(i))
          || ack.getVerdict() != (answered ? line.getVerdict() : ReportVerdict.DEFERRED)) {
        throw new AssertionError("billing said " + line + ", the SNAPT is told " + told.get(i));
      }
    }
  }

  private static boolean names(ReportAck ack, UsageReport report) {
    return ack.getSnaptId().equals(report.getSnaptId())
        && ack.getSessionId().equals(report.getSessionId())
        && ack.getEpoch() == report.getEpoch()
        && ack.getSequence() == report.getSequence();
  }

  private static UsageReport report(long sequence) {
    return UsageReport.newBuilder()
        .setSnaptId("snapt-1")
        .setSessionId("s")
        .setEpoch(3)
        .setSequence(sequence)
        .build();
  }

  private static ReportAck ack(UsageReport report, ReportVerdict verdict) {
    return PendingReport.ack(report, verdict, "words");
  }

  private static byte[] answer(ReportAck... lines) {
    return SubmitResponse.newBuilder().addAllAcks(List.of(lines)).build().toByteArray();
  }

  static List<byte[]> seeds() {
    ReportAck first = ack(REPORTS.get(0), ReportVerdict.POSTED);
    ReportAck second = ack(REPORTS.get(1), ReportVerdict.REJECTED);
    ReportAck third = ack(REPORTS.get(2), ReportVerdict.REPORT_VERDICT_UNSPECIFIED);
    return List.of(
        answer(),
        answer(first, second, third, first),
        answer(second, first),
        answer(
            first.toBuilder().setEpoch(4).build(),
            second.toBuilder().setVerdictValue(77).build(),
            third.toBuilder().setSnaptId("snapt-2").setVerdict(ReportVerdict.POSTED).build()));
  }
}
