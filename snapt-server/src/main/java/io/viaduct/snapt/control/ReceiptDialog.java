package io.viaduct.snapt.control;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.snapt.reporting.Receipts;
import io.viaduct.snapt.reporting.ReportIdentity;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.control.v1.ReceiptAnswer;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.Receipt;
import io.viaduct.usage.v1.ReceiptRefusal;
import io.viaduct.usage.v1.SignedReceipt;
import java.security.PublicKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/// What one device is asked to sign on one connection: first what it owes from earlier, then each
/// interval of its session. At most [#ASKED_AT_ONCE] boundaries are without answer at a time; the
/// others queue. Called on the control thread.
final class ReceiptDialog {
  /// A device remembers more of its answers than that, so it can repeat one that was lost.
  static final int ASKED_AT_ONCE = 16;

  /// Intervals in a row that a connected device may leave unsigned.
  static final int UNSIGNED_MAX = 2;

  private final String snaptId;
  private final String session;
  private final PublicKey device;
  private final Receipts receipts;
  private final Wire wire;
  private final Map<ReportIdentity, IntervalBoundary> outstanding = new HashMap<>();
  private final LinkedHashMap<ReportIdentity, IntervalBoundary> queue = new LinkedHashMap<>();
  private Interval newest = new Interval(Set.of());
  private boolean owedIsKnown;
  private int unsigned;
  private int owedSigned;
  private int owedRefused;
  private String why = "";

  /// One interval of the session. It counts once, whatever the number of its reports.
  static final class Interval {
    private final Set<ReportIdentity> reports;
    private boolean missed;

    private Interval(Set<ReportIdentity> reports) {
      this.reports = reports;
    }
  }

  /// What the dialog does on its connection.
  interface Wire {
    void send(IntervalBoundary boundary);

    void count(ReceiptOutcome outcome);
  }

  /// @param session of this connection
  /// @param device public key, 32 bytes raw, of a token that was verified
  ReceiptDialog(String snaptId, UUID session, ByteString device, Receipts receipts, Wire wire) {
    this.snaptId = snaptId;
    this.session = session.toString();
    this.device = Ed25519.publicKey(device.toByteArray());
    this.receipts = receipts;
    this.wire = wire;
  }

  /// What the device owes from earlier; asked first.
  void owed(List<IntervalBoundary> boundaries) {
    owedIsKnown = true;
    boundaries.forEach(this::enqueue);
    pump();
  }

  /// An interval has ended.
  ///
  /// @param boundaries of its reports that carried bytes
  /// @return the interval
  Interval ask(String ofSession, List<IntervalBoundary> boundaries) {
    Interval asked = new Interval(new HashSet<>());
    boundaries.forEach(boundary -> asked.reports.add(ReportIdentity.of(boundary)));
    if (ofSession.equals(session)) {
      newest = asked;
    }
    boundaries.forEach(this::enqueue);
    pump();
    return asked;
  }

  private void enqueue(IntervalBoundary boundary) {
    ReportIdentity identity = ReportIdentity.of(boundary);
    if (!outstanding.containsKey(identity)) {
      queue.put(identity, boundary);
    }
  }

  private void pump() {
    while (owedIsKnown && !queue.isEmpty() && outstanding.size() < ASKED_AT_ONCE) {
      IntervalBoundary next = queue.pollFirstEntry().getValue();
      outstanding.put(ReportIdentity.of(next), next);
      wire.send(
          next.getSessionId().equals(session) ? next.toBuilder().clearSessionId().build() : next);
    }
  }

  /// Whether everything that the device was to sign is answered: a newer token may be taken.
  boolean isSettled() {
    return owedIsKnown && queue.isEmpty() && outstanding.isEmpty();
  }

  /// An answer has come.
  ///
  /// @throws InvalidProtocolBufferException if it is none
  void answer(ReceiptAnswer answer) throws InvalidProtocolBufferException {
    switch (answer.getAnswerCase()) {
      case SIGNED_RECEIPT -> signed(SignedReceipt.parseFrom(answer.getSignedReceipt()));
      case REFUSAL -> refused(ReceiptRefusal.parseFrom(answer.getRefusal()));
      case ANSWER_NOT_SET ->
          throw new InvalidProtocolBufferException("neither receipt nor refusal");
    }
    pump();
  }

  private void signed(SignedReceipt signed) throws InvalidProtocolBufferException {
    Receipt receipt = Receipt.parseFrom(signed.getReceipt());
    ReportIdentity identity =
        identity(receipt.getSessionId(), receipt.getEpoch(), receipt.getSequence());
    IntervalBoundary asked = outstanding.get(identity);
    if (asked == null) {
      wire.count(ReceiptOutcome.UNASKED);
    } else if (!receipt.equals(expected(asked))
        || !SignedMessage.RECEIPT.isSignedBy(device, signed.getReceipt(), signed.getSignature())) {
      wire.count(ReceiptOutcome.FORGED);
      why = "a receipt's signature did not hold, or it named other numbers";
    } else {
      wire.count(ReceiptOutcome.SIGNED);
      outstanding.remove(identity);
      receipts.signed(identity, signed);
      owedSigned += asked.getSessionId().equals(session) ? 0 : 1;
      if (newest.reports.contains(identity) && !newest.missed && allAnswered(newest)) {
        unsigned = 0;
        why = "";
      }
    }
  }

  private Receipt expected(IntervalBoundary asked) {
    return Receipt.newBuilder()
        .setSnaptId(snaptId)
        .setSessionId(asked.getSessionId())
        .setEpoch(asked.getEpoch())
        .setSequence(asked.getSequence())
        .setStartMs(asked.getStartMs())
        .setEndMs(asked.getEndMs())
        .setUpBytes(asked.getUpBytes())
        .setDownBytes(asked.getDownBytes())
        .build();
  }

  private void refused(ReceiptRefusal refusal) {
    ReportIdentity identity =
        identity(
            refusal.getSessionId().isEmpty() ? session : refusal.getSessionId(),
            refusal.getEpoch(),
            refusal.getSequence());
    IntervalBoundary asked = outstanding.remove(identity);
    if (asked == null) {
      wire.count(ReceiptOutcome.UNASKED);
      return;
    }
    receipts.refused(identity, refusal);
    owedRefused += asked.getSessionId().equals(session) ? 0 : 1;
    switch (refusal.getReason()) {
      case COUNTS_DIFFER -> {
        wire.count(ReceiptOutcome.COUNTS_DIFFER);
        refusedNewest(
            identity,
            "up %d B and down %d B were reported for the last interval, the device counted %d B and"
                    .formatted(asked.getUpBytes(), asked.getDownBytes(), refusal.getUpBytes())
                + " %d B in the whole session".formatted(refusal.getDownBytes()));
      }
      case UNKNOWN_SESSION -> wire.count(ReceiptOutcome.UNKNOWN_SESSION);
      case RECEIPT_REFUSAL_REASON_UNSPECIFIED, NOT_SUPPORTED, UNRECOGNIZED -> {
        wire.count(ReceiptOutcome.OTHER_REFUSAL);
        refusedNewest(identity, "the device gave no reason that counts");
      }
    }
  }

  /// The device has read what it was asked, and had time to answer.
  void due(Interval asked) {
    if (!allAnswered(asked)) {
      wire.count(ReceiptOutcome.UNANSWERED);
      miss(asked, "receipts were not answered");
    }
  }

  private boolean allAnswered(Interval of) {
    return of.reports.stream().noneMatch(outstanding::containsKey);
  }

  private void refusedNewest(ReportIdentity identity, String reason) {
    if (newest.reports.contains(identity)) {
      miss(newest, reason);
    }
  }

  private void miss(Interval interval, String reason) {
    if (!interval.missed) {
      interval.missed = true;
      unsigned++;
      why = why.isEmpty() ? reason : why;
    }
  }

  /// What has become of earlier sessions since the last call, empty if nothing or if it goes on.
  String takeOwed() {
    if (!isSettled() || owedSigned + owedRefused == 0) {
      return "";
    }
    String words = "%d signed, %d refused".formatted(owedSigned, owedRefused);
    owedSigned = 0;
    owedRefused = 0;
    return words;
  }

  /// Whether the device is to be cut.
  boolean isExhausted() {
    return unsigned >= UNSIGNED_MAX;
  }

  /// Why intervals are unsigned, fit for the device's log.
  String why() {
    return why;
  }

  private static ReportIdentity identity(String session, long epoch, long sequence) {
    try {
      return new ReportIdentity(epoch, sequence, UUID.fromString(session));
    } catch (IllegalArgumentException _) {
      return new ReportIdentity(epoch, sequence, new UUID(0, 0)); // no session of ours
    }
  }
}
