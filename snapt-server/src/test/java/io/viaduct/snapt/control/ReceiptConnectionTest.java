package io.viaduct.snapt.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.snapt.PacketText;
import io.viaduct.snapt.TestControl;
import io.viaduct.snapt.TestOperator;
import io.viaduct.snapt.TestSnapt;
import io.viaduct.snapt.TestTunnel;
import io.viaduct.snapt.binding.SessionEnd;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.control.v1.ReceiptAnswer;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.TokenUpdate;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.Receipt;
import io.viaduct.usage.v1.ReceiptRefusal;
import io.viaduct.usage.v1.ReceiptRefusalReason;
import io.viaduct.usage.v1.Revocation;
import io.viaduct.usage.v1.Revocations;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedReceipt;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.UsageReport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the requests for receipts over real TLS, and the end of sessions whose device does not
/// sign.
class ReceiptConnectionTest {
  private static final byte[] PACKET_UP = PacketText.up();
  @TempDir Path folder;
  private TestOperator operator;
  private TestSnapt snapt;
  private final KeyPair device = Ed25519.generate();
  private final List<TestControl> controls = new ArrayList<>();
  private @Nullable TestTunnel tunnel;
  private String session = "";

  @BeforeEach
  void start() throws Exception {
    operator = new TestOperator(folder.resolve("pki"));
    snapt = new TestSnapt(operator, folder, 1, Duration.ofSeconds(1));
  }

  @AfterEach
  void stop() {
    if (tunnel != null) {
      tunnel.close();
    }
    controls.forEach(TestControl::close);
    snapt.close();
  }

  private TestControl connect(Feature... features) throws Exception {
    TestControl control = new TestControl(snapt.controlAddress, operator.trust());
    controls.add(control);
    ByteString token = operator.sign(TestOperator.token("alice", device).build());
    control.send(
        control
            .hello(token, device)
            .addAllFeatures(List.of(features))
            .addFeaturesValue(99)
            .build());
    Welcome welcome = control.next().getWelcome();
    assertThat(welcome.getFeaturesList()).isEqualTo(List.of(features));
    session = welcome.getSessionId();
    if (tunnel != null) {
      tunnel.close();
    }
    tunnel =
        new TestTunnel(
            welcome,
            snapt.dataAddress,
            new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
    await().until(() -> !snapt.onlySession().binding().isEmpty());
    return control;
  }

  private void traffic() throws Exception {
    tunnel.send(PACKET_UP);
    assertThat(snapt.nextOut()).isNotNull();
  }

  private IntervalBoundary boundary(TestControl control) throws Exception {
    ControlMessage next = control.next();
    assertThat(next).isNotNull().matches(ControlMessage::hasIntervalBoundary);
    return next.getIntervalBoundary();
  }

  private SignedReceipt sign(IntervalBoundary boundary, long downBytes) {
    ByteString receipt =
        Receipt.newBuilder()
            .setSnaptId("snapt-1")
            .setSessionId(boundary.getSessionId().isEmpty() ? session : boundary.getSessionId())
            .setEpoch(boundary.getEpoch())
            .setSequence(boundary.getSequence())
            .setStartMs(boundary.getStartMs())
            .setEndMs(boundary.getEndMs())
            .setUpBytes(boundary.getUpBytes())
            .setDownBytes(downBytes)
            .build()
            .toByteString();
    return SignedReceipt.newBuilder()
        .setReceipt(receipt)
        .setSignature(SignedMessage.RECEIPT.sign(device.getPrivate(), receipt))
        .build();
  }

  private static void answer(TestControl control, SignedReceipt receipt) {
    control.send(
        ControlMessage.newBuilder()
            .setReceiptAnswer(ReceiptAnswer.newBuilder().setSignedReceipt(receipt.toByteString()))
            .build());
  }

  private void refuse(TestControl control, IntervalBoundary of, ReceiptRefusalReason reason) {
    ReceiptRefusal refusal =
        ReceiptRefusal.newBuilder()
            .setSessionId(of.getSessionId().isEmpty() ? session : of.getSessionId())
            .setEpoch(of.getEpoch())
            .setSequence(of.getSequence())
            .setReason(reason)
            .setUpBytes(7)
            .build();
    control.send(
        ControlMessage.newBuilder()
            .setReceiptAnswer(ReceiptAnswer.newBuilder().setRefusal(refusal.toByteString()))
            .build());
  }

  /// Waits until the envelope of the first report with bytes matches, and returns it.
  private SignedUsageReport envelope(java.util.function.Predicate<SignedUsageReport> wanted) {
    return await()
        .until(
            () -> {
              for (SignedUsageReport each : snapt.envelopes()) {
                if (UsageReport.parseFrom(each.getReport()).getPreBytes() > 0) {
                  return each;
                }
              }
              return SignedUsageReport.getDefaultInstance();
            },
            wanted);
  }

  @Test
  void theDeviceSignsTheReportsNumbersAndTheReceiptIsInTheEnvelope() throws Exception {
    TestControl control = connect(Feature.RECEIPTS);
    traffic();
    IntervalBoundary boundary = boundary(control);
    assertThat(boundary.getSessionId()).as("this session's").isEmpty();
    assertThat(boundary.getUpBytes()).isEqualTo(PACKET_UP.length);
    assertThat(boundary.getDownBytes()).isZero();
    SignedReceipt receipt = sign(boundary, 0);
    answer(control, receipt);
    SignedUsageReport envelope = envelope(SignedUsageReport::hasReceipt);
    assertThat(envelope.getReceipt()).isEqualTo(receipt);
    assertThat(envelope.getToken().toByteString())
        .isEqualTo(operator.sign(SessionToken.parseFrom(envelope.getToken().getToken())));
    UsageReport report = UsageReport.parseFrom(envelope.getReport());
    assertThat(report.getSequence()).isEqualTo(boundary.getSequence());
    assertThat(report.getStartMs()).isEqualTo(boundary.getStartMs());
    assertThat(report.getEndMs()).isEqualTo(boundary.getEndMs());
    assertThat(snapt.control.receiptOutcomes().of(ReceiptOutcome.SIGNED)).isEqualTo(1);
    assertThat(snapt.receipts.owed()).isZero();
  }

  @Test
  void anIntervalWithoutBytesIsNotAskedFor() throws Exception {
    TestControl control = connect(Feature.RECEIPTS);
    await().until(() -> snapt.reports.size() >= 2);
    assertThat(control.received).noneMatch(ControlMessage::hasIntervalBoundary);
  }

  @Test
  void anAgentOfTheVersionBeforeIsNotAskedAndItsReportsSaySo() throws Exception {
    TestControl control = connect();
    traffic();
    SignedUsageReport envelope = envelope(SignedUsageReport::hasToken);
    assertThat(envelope.getReceiptRefusal().getReason())
        .isEqualTo(ReceiptRefusalReason.NOT_SUPPORTED);
    assertThat(snapt.onlySession().receipts()).isFalse();
    assertThat(snapt.receipts.owed()).isZero();
    assertThat(control.received).noneMatch(ControlMessage::hasIntervalBoundary);
  }

  @Test
  void aDeviceWhoseTokenIsRevokedMaySignItsLastIntervalAndIsThenToldWhy() throws Exception {
    TestControl control = connect(Feature.RECEIPTS);
    traffic();
    snapt.told(
        SnaptStatusAck.newBuilder()
            .setRevocations(
                Revocations.newBuilder()
                    .addEntries(
                        Revocation.newBuilder()
                            .setAccount("alice")
                            .setReason(Revocation.Reason.SUSPENDED)
                            .setUntilMs(System.currentTimeMillis() + 60_000)))
            .build());
    IntervalBoundary last = boundary(control);
    await().until(() -> snapt.registry.size() == 0);
    answer(control, sign(last, 0));
    assertThat(control.next().getGoodbye().getReason())
        .isEqualTo("REVOKED: the account is suspended: ask your operator");
    envelope(SignedUsageReport::hasReceipt);
  }

  @Test
  void aReceiptOverOtherNumbersOrOfAnotherKeyIsNotTaken() throws Exception {
    TestControl control = connect(Feature.RECEIPTS);
    traffic();
    IntervalBoundary boundary = boundary(control);
    answer(control, sign(boundary, 1));
    answer(
        control,
        sign(boundary, 0).toBuilder().setSignature(ByteString.copyFrom(new byte[64])).build());
    await().until(() -> snapt.control.receiptOutcomes().of(ReceiptOutcome.FORGED) == 2);
    assertThat(snapt.receipts.owed()).isEqualTo(1);
    answer(control, sign(boundary, 0));
    envelope(SignedUsageReport::hasReceipt);
  }

  @Test
  void aDeviceThatLeavesTwoIntervalsUnansweredIsToldWhyAndCut() throws Exception {
    TestControl control = connect(Feature.RECEIPTS);
    traffic();
    boundary(control);
    traffic();
    boundary(control);
    ControlMessage last = control.next();
    assertThat(last.getRefusal().getCode()).isEqualTo(RefusalCode.RECEIPTS_OWED);
    assertThat(last.getRefusal().getDetail()).contains("not answered");
    assertThat(control.isClosedWithin(5)).isTrue();
    // The session ends after the refusal has left.
    await().until(() -> snapt.registry.ends().of(SessionEnd.RECEIPTS_OWED) == 1);
    assertThat(snapt.control.refusals().of(RefusalCode.RECEIPTS_OWED)).isEqualTo(1);
  }

  @Test
  void aDeviceThatRefusesTwoIntervalsIsCutAndTheReasonIsInTheEnvelope() throws Exception {
    TestControl control = connect(Feature.RECEIPTS);
    for (int i = 0; i < 2; i++) {
      traffic();
      refuse(control, boundary(control), ReceiptRefusalReason.COUNTS_DIFFER);
    }
    assertThat(control.next().getRefusal().getDetail()).contains("the device counted 7 B");
    await().until(() -> snapt.registry.size() == 0);
    assertThat(envelope(SignedUsageReport::hasReceiptRefusal).getReceiptRefusal().getReason())
        .isEqualTo(ReceiptRefusalReason.COUNTS_DIFFER);
  }

  @Test
  void aDeviceThatHasLostItsCountsIsNotCut() throws Exception {
    TestControl control = connect(Feature.RECEIPTS);
    for (int i = 0; i < 3; i++) {
      traffic();
      refuse(control, boundary(control), ReceiptRefusalReason.UNKNOWN_SESSION);
    }
    await().until(() -> snapt.receipts.owed() == 0);
    assertThat(snapt.registry.size()).isEqualTo(1);
    assertThat(snapt.control.receiptOutcomes().of(ReceiptOutcome.UNKNOWN_SESSION)).isEqualTo(3);
  }

  @Test
  void whatCouldNotBeSignedIsAskedAtTheNextConnectionBeforeANewToken() throws Exception {
    TestControl first = connect(Feature.RECEIPTS);
    traffic();
    first.close(); // a dead link
    String earlier = session;
    await().until(() -> snapt.receipts.owed() == 1);
    TestControl second = connect(Feature.RECEIPTS); // a new session: the first is superseded
    second.send(
        ControlMessage.newBuilder()
            .setTokenUpdate(
                TokenUpdate.newBuilder()
                    .setToken(operator.sign(TestOperator.token("alice", device).build()))
                    .setProof(second.proof(device)))
            .build());
    IntervalBoundary owed = boundary(second);
    assertThat(owed.getSessionId()).isEqualTo(earlier);
    assertThat(second.received).noneMatch(ControlMessage::hasTokenAccepted);
    answer(second, sign(owed, 0));
    assertThat(second.next().hasTokenAccepted()).isTrue();
    envelope(SignedUsageReport::hasReceipt);
  }

  @Test
  void aDeviceThatSaysGoodbyeSignsItsLastIntervalBeforeTheConnectionCloses() throws Exception {
    TestControl control = connect(Feature.RECEIPTS);
    traffic();
    control.send(
        ControlMessage.newBuilder().setGoodbye(Goodbye.newBuilder().setReason("done")).build());
    answer(control, sign(boundary(control), 0));
    assertThat(control.next().hasGoodbye()).isTrue();
    assertThat(control.isClosedWithin(5)).isTrue();
    envelope(SignedUsageReport::hasReceipt);
    assertThat(snapt.registry.ends().of(SessionEnd.GOODBYE)).isEqualTo(1);
  }

  @Test
  void aGoodbyeWithoutBytesClosesAtOnce() throws Exception {
    TestControl control = connect(Feature.RECEIPTS);
    long beganNs = System.nanoTime();
    control.send(ControlMessage.newBuilder().setGoodbye(Goodbye.newBuilder()).build());
    assertThat(control.next().hasGoodbye()).isTrue();
    assertThat(Duration.ofNanos(System.nanoTime() - beganNs)).isLessThan(Duration.ofSeconds(2));
  }
}
