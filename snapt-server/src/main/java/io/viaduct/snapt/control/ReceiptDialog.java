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

/// Asks one device on one connection for receipts: first those that it owes from earlier, then one
/// for each interval of its session. At most [#ASKED_AT_ONCE] requests are outstanding; the others
/// wait in a queue. Called on the control thread.
final class ReceiptDialog {
  /// Most outstanding requests. A device stores more answers than this, so it can repeat a lost
  /// answer.
  static final int ASKED_AT_ONCE = 16;

  /// Number of unsigned intervals in a row after which a connected device's session ends.
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

  /// One interval of the session. It counts as one unsigned interval, even if it has several
  /// reports.
  static final class Interval {
    private final Set<ReportIdentity> reports;
    private boolean missed;

    private Interval(Set<ReportIdentity> reports) {
      this.reports = reports;
    }
  }

  /// Sends requests and counts outcomes for the dialog.
  interface Wire {
    void send(IntervalBoundary boundary);

    void count(ReceiptOutcome outcome);
  }

  /// @param session the session of this connection
  /// @param device public key of a verified token, 32 raw bytes
  ReceiptDialog(String snaptId, UUID session, ByteString device, Receipts receipts, Wire wire) {
    this.snaptId = snaptId;
    this.session = session.toString();
    this.device = Ed25519.publicKey(device.toByteArray());
    this.receipts = receipts;
    this.wire = wire;
  }

  /// Queues the receipts that the device owes from earlier; they are requested first.
  void owed(List<IntervalBoundary> boundaries) {
    owedIsKnown = true;
    boundaries.forEach(this::enqueue);
    pump();
  }

  /// Requests the receipt of an interval that has ended.
  ///
  /// @param boundaries boundaries of the interval's reports with bytes
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

  /// Returns true if the device has answered all requests. Only then may a newer token be accepted.
  boolean isSettled() {
    return owedIsKnown && queue.isEmpty() && outstanding.isEmpty();
  }

  /// Handles an answer of the device.
  ///
  /// @throws InvalidProtocolBufferException if it is not a valid answer
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
      why = "a receipt had an invalid signature or other numbers";
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
        refusedNewest(identity, "the device gave no accepted reason");
      }
    }
  }

  /// Counts the interval as unsigned if its requests are still open. Called when the device has had
  /// time to answer.
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

  /// Returns a text about the answers for earlier sessions since the last call. It is empty if
  /// there are none, or if requests are still open.
  String takeOwed() {
    if (!isSettled() || owedSigned + owedRefused == 0) {
      return "";
    }
    String words = "%d signed, %d refused".formatted(owedSigned, owedRefused);
    owedSigned = 0;
    owedRefused = 0;
    return words;
  }

  /// Returns true if the device's session must end, because too many intervals are unsigned.
  boolean isExhausted() {
    return unsigned >= UNSIGNED_MAX;
  }

  /// Returns the reason for the unsigned intervals, as text for the device's log.
  String why() {
    return why;
  }

  private static ReportIdentity identity(String session, long epoch, long sequence) {
    try {
      return new ReportIdentity(epoch, sequence, UUID.fromString(session));
    } catch (IllegalArgumentException _) {
      return new ReportIdentity(
          epoch, sequence, new UUID(0, 0)); // a session id that this SNAPT never issues
    }
  }
}
