package io.viaduct.bridge.reporting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.BillingStub;
import io.viaduct.bridge.BridgeRig;
import io.viaduct.bridge.ReservedPort;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.usage.ProvenReport;
import io.viaduct.usage.v1.DeviceReport;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedDeviceReport;
import io.viaduct.usage.v1.SignedSessionToken;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Reports of devices pass by PUBLISH to the bridge and on to billing, over real sockets.
@Timeout(120)
class DevicePublicationsTest {
  private static final String EVENT = DevicePublications.EVENT;
  private static final String TYPE = DevicePublications.TYPE;

  @TempDir Path directory;
  private ReservedPort port;
  private BridgeRig rig;
  private BillingStub billing;

  @BeforeEach
  void start() throws Exception {
    port = new ReservedPort();
    rig = new BridgeRig(directory, port.number(), "");
    billing =
        new BillingStub(
            rig.authority.material("danum-billing"), port.number(), rig.users.service());
    rig.awaitBilling();
    await().until(() -> rig.bridge.subscribers().isLoaded());
  }

  @AfterEach
  void stop() throws Exception {
    billing.close();
    rig.close();
    port.close();
  }

  private static SignedDeviceReport report() {
    return new ProvenReport()
        .ofDevice(
            DeviceReport.newBuilder().setSnaptId("snapt-1").setSequence(7).build(),
            SignedSessionToken.newBuilder().setKeyId("k").build());
  }

  private UserAgent alice() throws Exception {
    UserAgent alice = rig.userAgent("alice", Transport.TCP, new UserAgentListener() {});
    alice.register();
    await().until(() -> alice.state().isRegistered());
    return alice;
  }

  private static SipResponse publish(UserAgent by, String event, String type, byte[] body)
      throws Exception {
    return by.publish(event, type, body).get(45, TimeUnit.SECONDS);
  }

  @Test
  void aReportPassesToBillingUnchangedAndItsVerdictIsTheAnswer() throws Exception {
    UserAgent alice = alice();
    SignedDeviceReport report = report();
    SipResponse taken = publish(alice, EVENT, TYPE, report.toByteArray());
    assertThat(taken.status()).isEqualTo(200);
    assertThat(taken.headers().first("SIP-ETag")).isPresent();
    assertThat(billing.deviceReports)
        .singleElement()
        .satisfies(request -> {
          assertThat(request.getReportsList()).containsExactly(report);
          assertThat(request.getTokenKeysList()).isNotEmpty();
        });

    billing.deviceVerdict = ReportVerdict.REJECTED;
    SipResponse refused = publish(alice, EVENT, TYPE, report.toByteArray());
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.warning()).contains("report refused: FORGED: by ??nobody");

    billing.deviceVerdict = ReportVerdict.DEFERRED;
    assertThat(publish(alice, EVENT, TYPE, report.toByteArray()).status()).isEqualTo(503);
    billing.broken = true;
    assertThat(publish(alice, EVENT, TYPE, report.toByteArray()).status()).isEqualTo(503);
    assertThat(rig.counter("viaduct_bridge_sip_events", "event", "published")).isEqualTo(1);
    assertThat(rig.counter("viaduct_bridge_sip_refused", "reason", "report_deferred")).isEqualTo(2);
  }

  @Test
  void aMessageToReportWithTheSameBodyIsTakenToo() throws Exception {
    UserAgent alice = alice();
    String report = "\n\u0003abc"; // a SignedDeviceReport whose bytes are text
    assertThat(alice.sendMessage("report", TYPE, report).get(45, TimeUnit.SECONDS).status())
        .isEqualTo(200);
    assertThat(billing.deviceReports)
        .singleElement()
        .satisfies(request ->
            assertThat(request.getReports(0).getReport().toStringUtf8()).isEqualTo("abc"));
    billing.deviceVerdict = ReportVerdict.REJECTED;
    assertThat(alice.sendMessage("report", TYPE, report).get(45, TimeUnit.SECONDS).status())
        .isEqualTo(400);
  }

  @Test
  void whatIsNoReportIsRefused() throws Exception {
    UserAgent alice = alice();
    byte[] report = report().toByteArray();
    assertThat(publish(alice, "presence", TYPE, report).status()).isEqualTo(489);
    assertThat(publish(alice, EVENT, "application/pidf+xml", report).status()).isEqualTo(415);
    assertThat(publish(alice, EVENT, TYPE, new byte[] {1, 2, 3}).status()).isEqualTo(400);
    assertThat(billing.deviceReports).isEmpty();
  }

  @Test
  void aUserWithAWrongPasswordPublishesNothing() throws Exception {
    UserAgent mallory =
        rig.userAgent(rig.settings("alice", "guess", Transport.TCP), new UserAgentListener() {});
    assertThat(publish(mallory, EVENT, TYPE, report().toByteArray()).status()).isEqualTo(401);
    assertThat(billing.deviceReports).isEmpty();
  }
}
