package io.viaduct.snapt.reporting;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.stub.StreamObserver;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.snapt.FuzzFolder;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes the bridge's verdicts on three waiting reports, the third of which owes a receipt.
///
/// Input: steps of one octet. Bits 0–1: index of the report, or 3 if a whole ReportAck follows
/// after one octet of length. Bits 2–4: the verdict. Bit 5: another start of the SNAPT. Bit 6: time
/// passes and the stream is opened again. Bit 7: another session.
///
/// Rules:
/// - A report leaves the spool only by a verdict that names it. It is deleted if billing has it,
///   and moves to `refused/` if billing will never accept it.
/// - A report that owes a receipt and is accepted provisionally stays, and is not sent.
/// - All other reports are sent again, and the next start finds them.
final class ReportAckFuzz {
  private static final UUID SESSION = UUID.fromString("6f1c1f2e-8f0e-4d61-9a57-3f5ac8b2c001");
  private static final List<UsageReport> REPORTS = List.of(report(0), report(1), report(2));
  private static final long OWING = 2;
  private static final long STEP_MS = 60_000; // longer than any wait for an answer and any pause
  private static final Path FOLDER = FuzzFolder.make("viaduct-report-acks");

  private final ReportSpool spool = ReportSpool.open(FOLDER, 3);
  private final ReportSender sender = new ReportSender(spool, TestUsage.noReceipts(spool), 2);
  private final Set<ReportIdentity> waiting = new TreeSet<>();
  private final Set<ReportIdentity> refused = new TreeSet<>();
  private final Set<ReportIdentity> provisional = new TreeSet<>();
  private final List<ReportIdentity> sent = new ArrayList<>();
  private long nowMs;

  private ReportAckFuzz() throws IOException {
    for (UsageReport report : REPORTS) {
      ReportIdentity identity = ReportIdentity.of(report);
      Files.deleteIfExists(FOLDER.resolve("refused").resolve(identity.fileName()));
      SessionToken token =
          SessionToken.newBuilder().setDeviceKey(ByteString.copyFrom(new byte[32])).build();
      spool.add(
          identity,
          SignedUsageReport.newBuilder()
              .setReport(report.toByteString())
              .setToken(SignedSessionToken.newBuilder().setToken(token.toByteString()))
              .build());
      waiting.add(identity);
    }
  }

  @ArgumentsSource(Corpus.class)
  @FuzzTest(lifecycle = Lifecycle.PER_EXECUTION)
  void holds(byte[] input) throws IOException {
    connect();
    int at = 0;
    while (at < input.length) {
      int step = input[at++];
      if ((step & 3) == 3 && at < input.length) {
        int length = Math.min(input[at++] & 0xFF, input.length - at);
        try {
          answer(ReportAck.parseFrom(Arrays.copyOfRange(input, at, at + length)));
        } catch (InvalidProtocolBufferException _) {
          sender.onDisconnected(); // gRPC ends the stream
        }
        at += length;
      } else {
        answer(ack(step).build());
      }
      if ((step & 1 << 6) != 0) {
        connect();
      }
    }
    require(waiting, ReportSpool.open(FOLDER, 3));
    allOthersAreSentAgain();
    try (Stream<Path> files = Files.list(FOLDER.resolve("refused"))) {
      Set<ReportIdentity> found =
          files
              .map(file -> ReportIdentity.ofFile(file.getFileName().toString()).orElseThrow())
              .collect(Collectors.toSet());
      if (!found.equals(refused)) {
        throw new AssertionError("refused: " + found + ", must be " + refused);
      }
    }
  }

  private void answer(ReportAck ack) throws IOException {
    sender.onAnswer(ack, nowMs);
    for (ReportIdentity each : List.copyOf(waiting)) {
      if (names(ack, each)) {
        switch (ack.getVerdict()) {
          case POSTED, ALREADY_POSTED, HELD -> waiting.remove(each);
          case PROVISIONAL -> {
            if (each.sequence() == OWING) {
              provisional.add(each);
            } else {
              waiting.remove(each);
            }
          }
          case CONFLICT, REJECTED -> {
            waiting.remove(each);
            refused.add(each);
          }
          default -> {}
        }
      }
    }
    require(waiting, spool);
  }

  private static boolean names(ReportAck ack, ReportIdentity report) {
    try {
      return UUID.fromString(ack.getSessionId()).equals(report.session())
          && ack.getEpoch() == report.epoch()
          && ack.getSequence() == report.sequence();
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private static void require(Set<ReportIdentity> waiting, ReportSpool spool) {
    if (spool.pending() != waiting.size() || !waiting.stream().allMatch(spool::holds)) {
      throw new AssertionError(spool.pending() + " wait, must be " + waiting);
    }
  }

  /// Opens a new stream after a long time; its window is two reports.
  private void connect() throws IOException {
    nowMs += STEP_MS;
    sent.clear();
    sender.onConnected(new Bridge());
    sender.pump(nowMs);
    if (!sent.equals(
        waiting.stream().filter(one -> !provisional.contains(one)).limit(2).toList())) {
      throw new AssertionError("sent: " + sent + ", waiting: " + waiting);
    }
  }

  private void allOthersAreSentAgain() throws IOException {
    waiting.removeAll(provisional);
    Set<ReportIdentity> before = new TreeSet<>(waiting);
    Set<ReportIdentity> seen = new TreeSet<>();
    while (!waiting.isEmpty()) {
      connect();
      seen.addAll(sent);
      for (ReportIdentity each : List.copyOf(sent)) {
        waiting.remove(each);
        spool.acknowledge(each);
      }
    }
    if (!seen.equals(before)) {
      throw new AssertionError("sent again: " + seen + ", must be " + before);
    }
  }

  private final class Bridge implements StreamObserver<SignedUsageReport> {
    @Override
    public void onNext(SignedUsageReport signed) {
      try {
        sent.add(ReportIdentity.of(UsageReport.parseFrom(signed.getReport())));
      } catch (InvalidProtocolBufferException e) {
        throw new AssertionError("sent what is no report", e);
      }
    }

    @Override
    public void onError(Throwable why) {}

    @Override
    public void onCompleted() {}
  }

  private static UsageReport report(long sequence) {
    return UsageReport.newBuilder()
        .setSnaptId("snapt-1")
        .setSessionId(SESSION.toString())
        .setEpoch(3)
        .setSequence(sequence)
        .setPreBytes(sequence == OWING ? 1_000 : 0)
        .build();
  }

  private static ReportAck.Builder ack(int step) {
    return ReportAck.newBuilder()
        .setSnaptId("snapt-1")
        .setSessionId((step & 1 << 7) == 0 ? SESSION.toString() : "no session")
        .setEpoch((step & 1 << 5) == 0 ? 3 : 3 + (1L << 40))
        .setSequence(step & 3)
        .setVerdictValue((step >> 2 & 7) == 0 ? ReportVerdict.QUEUED_VALUE : step >> 2 & 7)
        .setReason("words\u0007");
  }

  private static int step(int report, ReportVerdict verdict) {
    return report | (verdict.getNumber() & 7) << 2; // QUEUED takes the place of "unspecified"
  }

  private static byte[] steps(int... steps) {
    byte[] input = new byte[steps.length];
    for (int i = 0; i < steps.length; i++) {
      input[i] = (byte) steps[i];
    }
    return input;
  }

  static List<byte[]> seeds() {
    byte[] whole = ack(step(1, ReportVerdict.POSTED)).build().toByteArray();
    byte[] raw = new byte[2 + whole.length];
    raw[0] = 3;
    raw[1] = (byte) whole.length;
    System.arraycopy(whole, 0, raw, 2, whole.length);
    return List.of(
        steps(
            step(0, ReportVerdict.POSTED),
            step(0, ReportVerdict.REJECTED),
            step(1, ReportVerdict.ALREADY_POSTED)),
        steps(step(0, ReportVerdict.CONFLICT), 64 | step(2, ReportVerdict.REJECTED)),
        steps(step(0, ReportVerdict.DEFERRED), 64 | step(0, ReportVerdict.DEFERRED)),
        steps(32 | step(1, ReportVerdict.POSTED), 128 | step(1, ReportVerdict.POSTED), 7 << 2),
        steps(step(2, ReportVerdict.PROVISIONAL), 64 | step(1, ReportVerdict.PROVISIONAL)),
        steps(step(2, ReportVerdict.PROVISIONAL), step(2, ReportVerdict.HELD)),
        steps(step(0, ReportVerdict.QUEUED), step(0, ReportVerdict.POSTED)),
        steps(step(0, ReportVerdict.QUEUED), 64 | step(1, ReportVerdict.QUEUED)),
        steps(step(2, ReportVerdict.PROVISIONAL), 64 | step(2, ReportVerdict.QUEUED)),
        raw,
        steps(3, 2, 0xFF, 0xFF, 64 | step(1, ReportVerdict.POSTED)));
  }
}
