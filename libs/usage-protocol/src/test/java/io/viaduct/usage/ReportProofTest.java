package io.viaduct.usage;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class ReportProofTest {
  private final ProvenReport proven = new ProvenReport();
  private final UsageReport report =
      UsageReport.newBuilder()
          .setSnaptId("snapt-1")
          .setSessionId("s-1")
          .setEpoch(3)
          .setSequence(7)
          .setAccount("alice")
          .setIcid("icid-1")
          .setTokenId("token-1")
          .setStartMs(1_000_000)
          .setEndMs(1_060_000)
          .addFlows(
              FlowUsage.newBuilder()
                  .setFlow(1)
                  .setUp(DirectionUsage.newBuilder().setPreBytes(100).setPostBytes(50))
                  .setDown(DirectionUsage.newBuilder().setPreBytes(900).setPostBytes(300))
                  .setDurationMs(60_000))
          .setPreBytes(1000)
          .setPostBytes(350)
          .build();

  private ReportProof of(SignedUsageReport signed) {
    return of(signed, report);
  }

  private ReportProof of(SignedUsageReport signed, UsageReport of) {
    return ReportProof.of(
        signed, of, TokenKeys.of(List.of(proven.tokenKey())), ProvenReport.AUDIENCE);
  }

  private void assertFlaw(SignedUsageReport signed, ReportFlaw flaw) {
    assertThat(of(signed))
        .isInstanceOfSatisfying(
            ReportProof.Broken.class, b -> assertThat(b.finding().flaw()).isEqualTo(flaw));
  }

  private SignedUsageReport withToken(SignedSessionToken token) {
    return proven.complete(report).toBuilder().setToken(token).build();
  }

  private SignedUsageReport withToken(UnaryOperator<SessionToken.Builder> change) {
    return withToken(proven.token(report, change));
  }

  @Test
  void tokenAndReceiptTogetherAreASignedReport() {
    assertThat(of(proven.complete(report))).isEqualTo(new ReportProof.Signed());
  }

  @Test
  void withoutReceiptItIsOwedUnlessThereAreNoBytes() {
    assertThat(of(proven.unsigned(report))).isEqualTo(new ReportProof.ReceiptOwed());
    UsageReport nothing = report.toBuilder().clearFlows().setPreBytes(0).setPostBytes(0).build();
    assertThat(of(proven.unsigned(nothing), nothing)).isEqualTo(new ReportProof.Signed());
  }

  @Test
  void anEnvelopeWithoutTokenIsOfTheVersionBefore() {
    assertThat(of(proven.complete(report).toBuilder().clearToken().build()))
        .isEqualTo(new ReportProof.NoToken());
  }

  @Test
  void aTokenThatTheBridgeDidNotSignIsForged() {
    ByteString content = proven.token(report).getToken();
    assertFlaw(withToken(proven.signed(content, ProvenReport.keyPair())), ReportFlaw.TOKEN_FORGED);
    assertFlaw(
        withToken(proven.token(report).toBuilder().clearSignature().build()),
        ReportFlaw.TOKEN_FORGED);
    assertFlaw(
        withToken(proven.token(report).toBuilder().setKeyId("other").build()),
        ReportFlaw.TOKEN_KEY_UNKNOWN);
    // The device's signature over the same bytes is a receipt's, which has another label.
    assertFlaw(
        withToken(
            proven.token(report).toBuilder()
                .setSignature(proven.receipt(report).getSignature())
                .build()),
        ReportFlaw.TOKEN_FORGED);
  }

  @Test
  void aTokenOfSomebodyOrSomethingElseIsRefused() {
    assertFlaw(withToken(t -> t.setAccount("mallory")), ReportFlaw.TOKEN_OF_OTHER_SESSION);
    assertFlaw(withToken(t -> t.setTokenId("token-2")), ReportFlaw.TOKEN_OF_OTHER_SESSION);
    assertFlaw(withToken(t -> t.setIcid("icid-2")), ReportFlaw.TOKEN_OF_OTHER_SESSION);
    assertFlaw(withToken(t -> t.setAudience("others")), ReportFlaw.TOKEN_OF_OTHER_AUDIENCE);
    assertFlaw(
        withToken(t -> t.setDeviceKey(ByteString.copyFromUtf8("short"))),
        ReportFlaw.TOKEN_MALFORMED);
  }

  @Test
  void aTokenMustBeValidAtSomeTimeOfTheIntervalUpToTheClocksTolerance() {
    long tolerated = ProofCheck.CLOCK_TOLERATED_MS;
    assertThat(of(withToken(t -> t.setExpiresMs(report.getStartMs() - tolerated + 1))))
        .isEqualTo(new ReportProof.Signed());
    assertFlaw(
        withToken(t -> t.setExpiresMs(report.getStartMs() - tolerated)),
        ReportFlaw.TOKEN_NOT_VALID_THEN);
    assertThat(of(withToken(t -> t.setNotBeforeMs(report.getEndMs() + tolerated - 1))))
        .isEqualTo(new ReportProof.Signed());
    assertFlaw(
        withToken(t -> t.setNotBeforeMs(report.getEndMs() + tolerated)),
        ReportFlaw.TOKEN_NOT_VALID_THEN);
  }

  @Test
  void aTokenThatWasRenewedInTheMiddleOfTheIntervalProvesAllOfIt() {
    long middle = (report.getStartMs() + report.getEndMs()) / 2;
    assertThat(of(withToken(t -> t.setNotBeforeMs(middle).setExpiresMs(middle + 600_000))))
        .as("the newer one")
        .isEqualTo(new ReportProof.Signed());
    assertThat(of(withToken(t -> t.setNotBeforeMs(middle - 600_000).setExpiresMs(middle))))
        .as("the older one, of an interval that was recovered from disk")
        .isEqualTo(new ReportProof.Signed());
  }

  @Test
  void aReceiptOfAnotherDeviceOrIntervalOrCountIsRefused() {
    SignedUsageReport good = proven.complete(report);
    assertFlaw(
        good.toBuilder().setReceipt(proven.otherDevice().receipt(report)).build(),
        ReportFlaw.RECEIPT_FORGED);
    List<UnaryOperator<io.viaduct.usage.v1.Receipt.Builder>> others =
        List.of(
            r -> r.setSnaptId("snapt-2"),
            r -> r.setSessionId("s-2"),
            r -> r.setEpoch(4),
            r -> r.setSequence(8),
            r -> r.setStartMs(1_000_001),
            r -> r.setEndMs(1_060_001));
    others.forEach(change ->
        assertFlaw(
            good.toBuilder().setReceipt(proven.receipt(report, change)).build(),
            ReportFlaw.RECEIPT_OF_OTHER_INTERVAL));
    assertFlaw(
        good.toBuilder().setReceipt(proven.receipt(report, r -> r.setUpBytes(99))).build(),
        ReportFlaw.RECEIPT_OF_OTHER_COUNTS);
    assertFlaw(
        good.toBuilder().setReceipt(proven.receipt(report, r -> r.setDownBytes(901))).build(),
        ReportFlaw.RECEIPT_OF_OTHER_COUNTS);
  }

  private static ReportFlaw implausible(UsageReport.Builder report, long bitPerSecond) {
    return ReportPlausibility.check(report.build(), bitPerSecond).map(Finding::flaw).orElse(null);
  }

  @Test
  void anIntervalLastsLongerThanNothingAndItsFlowsNoLongerThanIt() {
    assertThat(implausible(report.toBuilder(), 1_000_000)).isNull();
    assertThat(implausible(report.toBuilder().setEndMs(1_000_000), 1_000_000))
        .isEqualTo(ReportFlaw.EMPTY_INTERVAL);
    assertThat(implausible(report.toBuilder().setStartMs(Long.MIN_VALUE), 1_000_000))
        .isEqualTo(ReportFlaw.EMPTY_INTERVAL);
    assertThat(implausible(report.toBuilder().setEndMs(1_059_998), 1_000_000)).isNull();
    assertThat(implausible(report.toBuilder().setEndMs(1_059_997), 1_000_000))
        .isEqualTo(ReportFlaw.FLOW_OVER_INTERVAL);
  }

  @Test
  void aDirectionCarriesNoMoreThanTheLineAndItsBurst() {
    // 60.2 s at 1 Mbit/s are 7,525,000 bytes.
    assertThat(implausible(down(7_525_000), 1_000_000)).isNull();
    assertThat(implausible(down(7_525_001), 1_000_000)).isEqualTo(ReportFlaw.OVER_LINE_RATE);
    assertThat(implausible(down(-1), 1_000_000)).isEqualTo(ReportFlaw.OVER_LINE_RATE);
    assertThat(implausible(down(Long.MIN_VALUE), 1L << 50)).isNotNull();
    UsageReport.Builder wrapping = down(1L << 62);
    for (int i = 0; i < 8; i++) {
      wrapping.addFlows(wrapping.getFlows(0));
    }
    assertThat(implausible(wrapping, 1_000_000)).isEqualTo(ReportFlaw.OVER_LINE_RATE);
  }

  private UsageReport.Builder down(long bytes) {
    UsageReport.Builder changed = report.toBuilder();
    changed.getFlowsBuilder(0).getDownBuilder().setPreBytes(bytes);
    return changed;
  }

  @Test
  void aSequenceThatNoSessionReachesIsRefused() {
    assertThat(implausible(report.toBuilder().setSequence(1L << 40), 1_000_000)).isNull();
    assertThat(implausible(report.toBuilder().setSequence(1L << 50), 1_000_000))
        .isEqualTo(ReportFlaw.SEQUENCE_JUMP);
    assertThat(implausible(report.toBuilder().setSequence(-1), 1_000_000))
        .isEqualTo(ReportFlaw.SEQUENCE_JUMP);
  }
}
