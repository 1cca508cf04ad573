package io.viaduct.bridge.snapts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.viaduct.bridge.BillingStub;
import io.viaduct.bridge.BridgeRig;
import io.viaduct.bridge.ReservedPort;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.usage.SipReporting;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.Signature;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Reports of SNAPTs by SIP, over real sockets. Billing is a stub of its protocol.
@Timeout(120)
class SnaptPublicationsTest {
  @TempDir Path directory;
  private ReservedPort port;
  private BridgeRig rig;
  private BillingStub billing;
  private SipEndpoint snapt;
  private int cseq;

  @BeforeEach
  void start() throws Exception {
    port = new ReservedPort();
    rig =
        new BridgeRig(
            directory,
            port.number(),
            text ->
                text.replace("reporting: {interval: 5s}", "reporting: {interval: 5s, sip: true}"));
    billing =
        new BillingStub(
            rig.authority.material("danum-billing"), port.number(), rig.users.service());
    rig.awaitBilling();
    await().until(() -> rig.bridge.subscribers().isLoaded());
    snapt =
        SipEndpoint.start(
            SipEndpointSettings.client(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
            InstantSource.system(),
            request -> request.answer(405));
  }

  @AfterEach
  void stop() throws Exception {
    snapt.close();
    billing.close();
    rig.close();
    port.close();
  }

  private static UsageReport.Builder report(String snapt, long sequence) {
    return UsageReport.newBuilder()
        .setSnaptId(snapt)
        .setSessionId("4f0c")
        .setEpoch(3)
        .setSequence(sequence)
        .setAccount("alice")
        .setStartMs(1000)
        .setEndMs(6000);
  }

  private static SignedUsageReport signed(UsageReport report, KeyPair key) throws Exception {
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(key.getPrivate());
    signature.update("viaduct usage report\0".getBytes(StandardCharsets.US_ASCII));
    signature.update(report.toByteArray());
    return SignedUsageReport.newBuilder()
        .setReport(report.toByteString())
        .setSignature(ByteString.copyFrom(signature.sign()))
        .build();
  }

  private SipResponse publish(Transport by, String type, byte[] body) throws Exception {
    String to = "sip:report@ims.test";
    SipHeaders headers =
        SipHeaders.NONE
            .with("Max-Forwards", "70")
            .with("From", "<sip:snapt-1@ims.test>;tag=1")
            .with("To", "<" + to + ">")
            .with("Call-ID", SipEndpoint.token())
            .with("CSeq", ++cseq + " PUBLISH")
            .with("Event", SipReporting.EVENT);
    return snapt
        .send(
            new SipRequest("PUBLISH", to, headers).withBody(type, SipBody.of(body)),
            new SipFlow(
                by, new InetSocketAddress(InetAddress.getLoopbackAddress(), rig.bridge.sipPort())))
        .get(45, TimeUnit.SECONDS);
  }

  private SipResponse publish(SignedUsageReport report) throws Exception {
    return publish(Transport.TCP, SipReporting.REPORT, report.toByteArray());
  }

  private static ReportAck ack(SipResponse response) throws Exception {
    assertThat(response.headers().require("Content-Type")).isEqualTo(SipReporting.ACKNOWLEDGEMENT);
    return ReportAck.parseFrom(response.body().bytes());
  }

  @Test
  void aSignedReportNeedsNoCredentialsAndIsAnsweredWithBillingsVerdict() throws Exception {
    SignedUsageReport signed = signed(report("snapt-1", 0).build(), rig.reportKey);
    SipResponse taken = publish(signed);
    assertThat(taken.status()).isEqualTo(200);
    assertThat(taken.headers().require("SIP-ETag")).isEqualTo("3-0");
    assertThat(ack(taken).getVerdict()).isEqualTo(ReportVerdict.POSTED);
    assertThat(ack(publish(signed)).getVerdict()).isEqualTo(ReportVerdict.ALREADY_POSTED);
    assertThat(billing.posted).hasSize(1);
    assertThat(rig.counter("viaduct_bridge_reports_acknowledged", "verdict", "posted"))
        .isEqualTo(1);
  }

  @Test
  void aReportOfManyFlowsIsTaken() throws Exception {
    UsageReport.Builder many = report("snapt-1", 0);
    for (int flow = 0; flow < 300; flow++) {
      many.addFlowsBuilder()
          .setFlow(flow)
          .setApplication("web")
          .setRemoteAddress("2001:db8:1:2:3:4:5:" + flow)
          .setDurationMs(5000);
    }
    SipResponse taken = publish(signed(many.build(), rig.reportKey));
    assertThat(taken.status()).as(taken.summary()).isEqualTo(200);
  }

  @Test
  void aReportWithAnotherSignatureIsRejectedAndOneOfAStrangerIsNotForBilling() throws Exception {
    SipResponse forged = publish(signed(report("snapt-1", 0).build(), Ed25519.generate()));
    assertThat(forged.status()).isEqualTo(400);
    assertThat(ack(forged).getVerdict()).isEqualTo(ReportVerdict.REJECTED);
    assertThat(forged.warning().orElseThrow()).contains("WRONG_SIGNATURE");
    SipResponse stranger = publish(signed(report("snapt-9", 0).build(), rig.reportKey));
    assertThat(stranger.status()).isEqualTo(403);
    assertThat(billing.requests).isEmpty();
  }

  @Test
  void onlySignedReportsOverConnectionsAreTaken() throws Exception {
    byte[] report = signed(report("snapt-1", 0).build(), rig.reportKey).toByteArray();
    assertThat(publish(Transport.UDP, SipReporting.REPORT, report).warning().orElseThrow())
        .contains("by TCP or TLS");
    SipResponse wrongType = publish(Transport.TCP, "text/plain", report);
    assertThat(wrongType.status()).isEqualTo(415);
    assertThat(wrongType.warning().orElseThrow()).contains("see Accept");
    assertThat(publish(Transport.TCP, SipReporting.REPORT, new byte[] {1, 2, 3}).status())
        .isEqualTo(400);
    assertThat(billing.requests).isEmpty();
  }

  @Test
  void whileBillingIsAwayAReportIsDeferred() throws Exception {
    billing.broken = true;
    SipResponse deferred = publish(signed(report("snapt-1", 0).build(), rig.reportKey));
    assertThat(deferred.status()).isEqualTo(503);
    assertThat(deferred.headers().first("Retry-After")).isPresent();
    assertThat(ack(deferred).getVerdict()).isEqualTo(ReportVerdict.DEFERRED);
  }
}
