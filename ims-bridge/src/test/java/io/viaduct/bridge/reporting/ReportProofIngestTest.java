package io.viaduct.bridge.reporting;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.viaduct.bridge.BillingStub;
import io.viaduct.bridge.BridgeRig;
import io.viaduct.bridge.ReservedPort;
import io.viaduct.usage.ProvenReport;
import io.viaduct.usage.ReportFlaw;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SnaptsGrpc;
import io.viaduct.usage.v1.UsageReport;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.KeyPair;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// An enrolled SNAPT reports usage that it did not serve, with its own certificate and report key,
/// over gRPC with mutual TLS. The bridge refuses such a report before billing.
@Timeout(120)
class ReportProofIngestTest {
  @TempDir Path directory;
  private ReservedPort port;
  private BridgeRig rig;
  private BillingStub billing;
  private ManagedChannel channel;
  private ProvenReport proven;

  @BeforeEach
  void start() throws Exception {
    port = new ReservedPort();
    rig =
        new BridgeRig(
            directory,
            port.number(),
            text -> text.replace("region: core}", "region: core, line-rate: 8000000}"));
    billing = new BillingStub(rig.authority.material("danum-billing"), port.number());
    rig.awaitBilling();
    channel = rig.channel(rig.authority.material("snapt-1"));
    proven = rig.proven();
  }

  @AfterEach
  void stop() throws Exception {
    channel.shutdownNow();
    billing.close();
    rig.close();
    port.close();
  }

  private static UsageReport.Builder report() {
    return UsageReport.newBuilder()
        .setSnaptId("snapt-1")
        .setSessionId("4f0c")
        .setEpoch(3)
        .setAccount("alice")
        .setIcid("icid-1")
        .setTokenId("token-1")
        .setStartMs(1_000_000)
        .setEndMs(1_005_000)
        .addFlows(flow(1, 10_000, 5000))
        .setPreBytes(10_000)
        .setPostBytes(10_000);
  }

  private static FlowUsage flow(int id, long bytes, long durationMs) {
    return FlowUsage.newBuilder()
        .setFlow(id)
        .setDown(DirectionUsage.newBuilder().setPreBytes(bytes).setPostBytes(bytes))
        .setDurationMs(durationMs)
        .build();
  }

  // Signs a report as the SNAPT does, with the key of the bridge's configuration.
  private SignedUsageReport bySnapt(SignedUsageReport envelope) {
    return envelope.toBuilder()
        .setSignature(
            SignedMessage.USAGE_REPORT.sign(rig.reportKey.getPrivate(), envelope.getReport()))
        .build();
  }

  private ReportAck submit(SignedUsageReport envelope) throws Exception {
    BlockingQueue<ReportAck> acks = new LinkedBlockingQueue<>();
    StreamObserver<SignedUsageReport> stream =
        SnaptsGrpc.newStub(channel)
            .report(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ReportAck ack) {
                    acks.add(ack);
                  }

                  @Override
                  public void onError(Throwable cause) {}

                  @Override
                  public void onCompleted() {}
                });
    stream.onNext(bySnapt(envelope));
    stream.onCompleted();
    ReportAck ack = acks.poll(45, TimeUnit.SECONDS);
    assertThat(ack).isNotNull();
    return ack;
  }

  private void refused(SignedUsageReport envelope, ReportFlaw flaw) throws Exception {
    ReportAck ack = submit(envelope);
    assertThat(ack.getReason()).startsWith("refused by the bridge: " + flaw + ": ");
    assertThat(ack.getVerdict())
        .isEqualTo(
            flaw == ReportFlaw.TOKEN_KEY_UNKNOWN ? ReportVerdict.DEFERRED : ReportVerdict.REJECTED);
    assertThat(billing.posted).isEmpty();
    assertThat(
            rig.counter(
                "viaduct_bridge_reports_refused", "reason", flaw.name().toLowerCase(Locale.ROOT)))
        .isEqualTo(1);
    assertThat(rig.bridge.reportMeters().refusalsOf("snapt-1")).containsEntry(flaw.name(), 1L);
  }

  private SignedUsageReport complete(Consumer<UsageReport.Builder> change) {
    UsageReport.Builder changed = report();
    change.accept(changed);
    return proven.complete(changed.build());
  }

  @Test
  void aReportWithTokenAndReceiptReachesBillingWithBothAndTheKeys() throws Exception {
    SignedUsageReport envelope = proven.complete(report().build());
    ReportAck ack = submit(envelope);
    assertThat(ack.getVerdict()).as(ack.getReason()).isEqualTo(ReportVerdict.POSTED);
    assertThat(billing.requests.getFirst().getTokenKeysList()).containsExactly(proven.tokenKey());
    assertThat(billing.requests.getFirst().getReports(0)).isEqualTo(bySnapt(envelope));
  }

  @Test
  void aTokenThatWasRenewedInTheMiddleOfTheIntervalIsAccepted() throws Exception {
    ReportAck ack = submit(token(t -> t.setNotBeforeMs(1_002_500).setExpiresMs(1_602_500)));
    assertThat(ack.getVerdict()).as(ack.getReason()).isEqualTo(ReportVerdict.POSTED);
  }

  @Test
  void aReportWithoutReceiptOrTokenIsForBillingToDecide() throws Exception {
    assertThat(submit(proven.unsigned(report().build())).getVerdict())
        .isEqualTo(ReportVerdict.POSTED);
    SignedUsageReport ofTheVersionBefore =
        proven.unsigned(report().setSequence(1).build()).toBuilder().clearToken().build();
    assertThat(submit(ofTheVersionBefore).getVerdict()).isEqualTo(ReportVerdict.POSTED);
  }

  @ParameterizedTest
  @EnumSource
  void anInventedReportIsRefusedWithItsReasonAndNeverReachesBilling(ReportFlaw flaw)
      throws Exception {
    UsageReport good = report().build();
    SignedUsageReport envelope =
        switch (flaw) {
          case EMPTY_INTERVAL -> complete(r -> r.setEndMs(r.getStartMs()));
          case FLOW_OVER_INTERVAL -> complete(r -> r.setFlows(0, flow(1, 10_000, 600_000)));
          // 8 Mbit/s in 5.2 s are 5,200,000 bytes.
          case OVER_LINE_RATE -> complete(r -> r.setFlows(0, flow(1, 5_200_001, 5000)));
          case SEQUENCE_JUMP -> complete(r -> r.setSequence(1L << 50));
          case TOKEN_MALFORMED -> token(t -> t.setDeviceKey(ByteString.EMPTY));
          case TOKEN_KEY_UNKNOWN ->
              with(proven.token(good).toBuilder().setKeyId("long-ago").build());
          case TOKEN_FORGED ->
              with(proven.signed(proven.token(good).getToken(), ProvenReport.keyPair()));
          case TOKEN_OF_OTHER_SESSION -> token(t -> t.setAccount("mallory"));
          case TOKEN_OF_OTHER_AUDIENCE -> token(t -> t.setAudience("others"));
          case TOKEN_NOT_VALID_THEN -> token(t -> t.setExpiresMs(900_000));
          case RECEIPT_MALFORMED -> malformedReceipt(good);
          case RECEIPT_FORGED ->
              proven.complete(good).toBuilder()
                  .setReceipt(proven.otherDevice().receipt(good))
                  .build();
          case RECEIPT_OF_OTHER_INTERVAL ->
              proven.complete(good).toBuilder()
                  .setReceipt(proven.receipt(report().setSequence(9).build()))
                  .build();
          case RECEIPT_OF_OTHER_COUNTS ->
              proven.complete(good).toBuilder()
                  .setReceipt(proven.receipt(good, r -> r.setDownBytes(9_999)))
                  .build();
        };
    refused(envelope, flaw);
  }

  private SignedUsageReport with(io.viaduct.usage.v1.SignedSessionToken token) {
    return proven.complete(report().build()).toBuilder().setToken(token).build();
  }

  private SignedUsageReport token(UnaryOperator<io.viaduct.usage.v1.SessionToken.Builder> change) {
    return with(proven.token(report().build(), change));
  }

  private SignedUsageReport malformedReceipt(UsageReport good) {
    KeyPair device = ProvenReport.keyPair();
    ByteString garbage = ByteString.copyFrom(new byte[] {(byte) 0xff, 1, 2, 3});
    return proven.unsigned(good).toBuilder()
        .setToken(proven.token(good, t -> t.setDeviceKey(ProvenReport.raw(device))))
        .setReceipt(
            io.viaduct.usage.v1.SignedReceipt.newBuilder()
                .setReceipt(garbage)
                .setSignature(SignedMessage.RECEIPT.sign(device.getPrivate(), garbage)))
        .build();
  }

  @Test
  void nineHundredFlowsOfAnAccountThatNeverConnectedAreRefused() throws Exception {
    UsageReport.Builder invented = report().setAccount("victim").clearFlows();
    for (int i = 0; i < 900; i++) {
      invented.addFlows(flow(i, 1000, 5000));
    }
    invented.setPreBytes(900_000).setPostBytes(900_000);
    SignedUsageReport stolen =
        proven.complete(invented.build()).toBuilder()
            .setToken(proven.token(report().build()))
            .build();
    refused(stolen, ReportFlaw.TOKEN_OF_OTHER_SESSION);
  }

  @Test
  void eachFlawHasARefusalOfItsName() {
    for (ReportFlaw flaw : ReportFlaw.values()) {
      assertThat(ReportRefusal.valueOf(flaw.name())).isNotNull();
    }
  }

  @Test
  void theRefusalsOfASnaptAreShownByReason() throws Exception {
    submit(complete(r -> r.setSequence(1L << 50)));
    submit(complete(r -> r.setSequence(1L << 50)));
    submit(complete(r -> r.setEndMs(r.getStartMs())));
    String snapts =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + rig.bridge.restPort() + "/api/v1/snapts"))
                    .header("Authorization", "Bearer rest-token")
                    .build(),
                HttpResponse.BodyHandlers.ofString())
            .body();
    assertThat(snapts)
        .contains("\"reportsRefused\":{\"EMPTY_INTERVAL\":1,\"SEQUENCE_JUMP\":2}")
        .contains("\"reportsRefused\":{}");
    assertThat(rig.counter("viaduct_bridge_snapt_reports_refused", "snapt", "snapt-1"))
        .isEqualTo(3);
  }
}
