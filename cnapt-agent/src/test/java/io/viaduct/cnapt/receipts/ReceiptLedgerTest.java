package io.viaduct.cnapt.receipts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.service.tls.Ed25519;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.control.v1.ReceiptAnswer;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.Receipt;
import io.viaduct.usage.v1.ReceiptRefusal;
import io.viaduct.usage.v1.ReceiptRefusalReason;
import io.viaduct.usage.v1.SignedReceipt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests which boundaries a device signs and refuses. A killed agent is simulated by a ledger that
/// is opened again.
class ReceiptLedgerTest {
  private static final ReceiptSettings SETTINGS = new ReceiptSettings(5, 1_000, 45);
  private static final long EPOCH = 9;

  @TempDir Path folder;
  private final KeyPair device = Ed25519.generate();
  private long nowMs = 1_000;
  private ReceiptLedger ledger;

  @BeforeEach
  void open() throws IOException {
    ledger =
        ReceiptLedger.open(
            folder.resolve("state"),
            SETTINGS,
            receipt -> SignedMessage.RECEIPT.sign(device.getPrivate(), receipt),
            () -> Instant.ofEpochMilli(nowMs++));
  }

  @AfterEach
  void close() {
    ledger.close();
  }

  private void restart() throws IOException {
    ledger.close();
    open();
  }

  private SessionCounts begin(String session) {
    return ledger.begin(0, "snapt-1", session, EPOCH);
  }

  private static IntervalBoundary boundary(long sequence, long up, long down) {
    return IntervalBoundary.newBuilder()
        .setEpoch(EPOCH)
        .setSequence(sequence)
        .setStartMs(sequence * 5_000)
        .setEndMs(sequence * 5_000 + 5_000)
        .setUpBytes(up)
        .setDownBytes(down)
        .build();
  }

  private Optional<ReceiptAnswer> patiently(IntervalBoundary boundary) {
    return ledger.answer("snapt-1", "s", boundary, true);
  }

  private ReceiptAnswer answer(IntervalBoundary boundary) {
    return ledger.answer("snapt-1", "s", boundary, false).orElseThrow();
  }

  private boolean signs(IntervalBoundary boundary) {
    return answer(boundary).hasSignedReceipt();
  }

  private static ReceiptRefusal refusal(ReceiptAnswer answer) throws IOException {
    assertThat(answer.hasRefusal()).isTrue();
    return ReceiptRefusal.parseFrom(answer.getRefusal());
  }

  @Test
  void exactlyTheSnaptsNumbersAreSignedWithTheDeviceKey() throws Exception {
    begin("s").note(1_000, 50_000, 0, 0, 0);
    SignedReceipt signed =
        SignedReceipt.parseFrom(answer(boundary(0, 990, 50_100)).getSignedReceipt());
    assertThat(
            SignedMessage.RECEIPT.isSignedBy(
                device.getPublic(), signed.getReceipt(), signed.getSignature()))
        .isTrue();
    assertThat(Receipt.parseFrom(signed.getReceipt()))
        .isEqualTo(
            Receipt.newBuilder()
                .setSnaptId("snapt-1")
                .setSessionId("s")
                .setEpoch(EPOCH)
                .setEndMs(5_000)
                .setUpBytes(990)
                .setDownBytes(50_100)
                .build());
    assertThat(ledger.of(ReceiptLedger.Outcome.SIGNED)).isEqualTo(1);
  }

  @Test
  void aSnaptThatClaimsTwiceWhatPassedIsRefusedWithTheDevicesCounts() throws Exception {
    begin("s").note(100_000, 1_000_000, 0, 0, 0);
    assertThat(patiently(boundary(0, 100_000, 2_000_000)))
        .as("packets may still be under way")
        .isEmpty();
    ReceiptRefusal refusal = refusal(answer(boundary(0, 100_000, 2_000_000)));
    assertThat(refusal.getReason()).isEqualTo(ReceiptRefusalReason.COUNTS_DIFFER);
    assertThat(refusal.getUpBytes()).isEqualTo(100_000);
    assertThat(refusal.getDownBytes()).isEqualTo(1_000_000);
    assertThat(signs(boundary(0, 200_000, 1_000_000))).as("nor of what it sent").isFalse();
    assertThat(signs(boundary(0, 100_000, 1_000_000))).as("the truth is signed").isTrue();
  }

  @Test
  void theSumOfTheIntervalsCountsNotEachOne() {
    SessionCounts counts = begin("s");
    counts.note(0, 1_000_000, 0, 0, 0);
    assertThat(signs(boundary(0, 0, 1_000_000))).isTrue();
    assertThat(signs(boundary(1, 0, 500_000))).as("the same bytes again").isFalse();
    counts.note(0, 1_500_000, 0, 0, 0);
    assertThat(signs(boundary(1, 0, 500_000))).isTrue();
  }

  @Test
  void lossThatTheSnaptHasNotHeardOfYetIsAllowed() {
    // 30 % of 10 MB were lost in the last seconds.
    begin("s").note(0, 7_000_000, 3_000_000, 0, 7_000_000);
    assertThat(signs(boundary(0, 0, 10_000_000))).isTrue();
    begin("s").note(0, 7_000_000, 3_000_000, 0, 700_000);
    assertThat(signs(boundary(0, 0, 10_000_000))).as("most came earlier").isFalse();
  }

  @Test
  void aSnaptThatFakesGapsGainsThemOnceAndNothingByGoingOn() {
    SessionCounts counts = begin("s");
    long received = 0;
    long signed = 0;
    for (int interval = 0; interval < 100; interval++) {
      received += 1_000_000;
      // Every other sequence number is left out, in each second of each interval.
      counts.note(0, received, 1L << 50, 0, 1_000_000);
      for (long claim : new long[] {2_000_000, 1_800_000, 1_100_000, 1_050_000, 1_000_000}) {
        if (signs(boundary(interval, 0, claim))) {
          signed += claim;
          break;
        }
      }
    }
    long once = 1_000_000 * 45 / 55;
    assertThat(signed).isBetween(received, (received + once) * 105 / 100 + 1_000);
  }

  @Test
  void aLostAnswerIsRepeatedAndCountsOnce() {
    begin("s").note(0, 1_000_000, 0, 0, 0);
    ReceiptAnswer first = answer(boundary(0, 0, 900_000));
    assertThat(answer(boundary(0, 0, 900_000))).isEqualTo(first);
    assertThat(ledger.of(ReceiptLedger.Outcome.SIGNED)).isEqualTo(1);
    assertThat(signs(boundary(0, 0, 10))).as("other numbers for the same interval").isFalse();
    assertThat(signs(boundary(1, 0, 100_000))).isTrue();
  }

  @Test
  void aSessionIsSignedAfterTheAgentWasStartedAgain() throws Exception {
    begin("s").note(5_000, 1_000_000, 0, 0, 200_000);
    assertThat(signs(boundary(0, 5_000, 400_000))).isTrue();
    restart();
    begin("other");
    assertThat(signs(boundary(1, 0, 600_000))).isTrue();
    assertThat(signs(boundary(2, 0, 200_000)))
        .as("what was under way when it died: as much as in the last seconds")
        .isTrue();
    assertThat(signs(boundary(3, 0, 200_000))).isFalse();
  }

  @Test
  void aSessionWithoutRecordIsUnknownAlsoOfAnotherSnaptOrStart() throws Exception {
    begin("s").note(1_000_000, 1_000_000, 0, 0, 0);
    assertThat(
            refusal(ledger.answer("snapt-2", "s", boundary(0, 1, 1), true).orElseThrow())
                .getReason())
        .isEqualTo(ReceiptRefusalReason.UNKNOWN_SESSION);
    IntervalBoundary ofAnotherStart = boundary(0, 1, 1).toBuilder().setEpoch(EPOCH + 1).build();
    assertThat(refusal(answer(ofAnotherStart)).getReason())
        .isEqualTo(ReceiptRefusalReason.UNKNOWN_SESSION);
    for (int i = 0; i < 16; i++) {
      begin("s" + i);
    }
    assertThat(refusal(answer(boundary(0, 1, 1))).getReason())
        .as("the seventeenth session takes the place of the oldest")
        .isEqualTo(ReceiptRefusalReason.UNKNOWN_SESSION);
  }

  @Test
  void countsThatNoSessionCanHaveAreRefused() {
    begin("s").note(1_000, 1_000, 0, 0, 0);
    for (long count : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertThat(signs(boundary(0, count, 0))).as("%d up", count).isFalse();
      assertThat(signs(boundary(0, 0, count))).as("%d down", count).isFalse();
    }
    assertThat(signs(boundary(0, 1_000, 1_000))).isTrue();
    assertThat(signs(boundary(1, Long.MAX_VALUE, Long.MAX_VALUE))).as("no overflow").isFalse();
  }

  @Test
  void theStateIsTheAgentsAloneAndItsOwnersOnly() throws Exception {
    Path file = folder.resolve("state").resolve("receipts");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
        .isEqualTo("rwx------");
    assertThatThrownBy(this::open).hasMessageContaining("another agent uses it");
  }

  @Test
  void aFileThatIsNoStateIsSetAside() throws Exception {
    begin("s").note(1_000, 1_000, 0, 0, 0);
    ledger.close();
    Path file = folder.resolve("state").resolve("receipts");
    Files.writeString(file, "rubbish");
    open();
    assertThat(refusal(answer(boundary(0, 1, 1))).getReason())
        .isEqualTo(ReceiptRefusalReason.UNKNOWN_SESSION);
    assertThat(file.resolveSibling("receipts.unreadable")).hasContent("rubbish");
  }
}
