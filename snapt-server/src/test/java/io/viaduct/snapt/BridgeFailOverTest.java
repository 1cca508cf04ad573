package io.viaduct.snapt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.ExchangeableTls;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.snapt.SnaptConfiguration.ReportTransport;
import io.viaduct.snapt.SnaptConfiguration.SipWay;
import io.viaduct.snapt.reporting.TestUsage;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Goodbye;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.usage.v1.Revocation;
import io.viaduct.usage.v1.Revocations;
import io.viaduct.usage.v1.UsageReport;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A SNAPT whose bridges have one name with several addresses (ADR 0073): its real channel, a
/// device's real session, and bridges that come and go.
class BridgeFailOverTest {
  private static final String NAME = "bridges.test";
  private static final String FIRST = "127.0.0.1";
  private static final String SECOND = "127.0.0.2";

  @TempDir Path folder;
  private final KeyPair device = Ed25519.generate();
  private TestOperator operator;
  private TlsMaterial tls;
  private TestBridge first;
  private TestBridge second;
  private TestSnapt snapt;

  @BeforeEach
  void start() throws Exception {
    TestNames.put(NAME, FIRST, SECOND);
    operator = new TestOperator(folder.resolve("pki"));
    tls = operator.material(NAME);
    first = bridge(FIRST, 0);
    second = bridge(SECOND, first.port());
    snapt = new TestSnapt(operator, folder, 1, Duration.ofSeconds(30));
    snapt.announceTo(
        new SnaptTls(new ExchangeableTls(operator.material("snapt-1"))).bridge(reporting()));
    await().until(() -> !first.statuses.isEmpty());
  }

  @AfterEach
  void stop() {
    snapt.close();
    first.close();
    second.close();
  }

  private TestBridge bridge(String address, int port) throws Exception {
    return new TestBridge(tls, new InetSocketAddress(address, port), operator.tokenKey());
  }

  private SnaptConfiguration.Reporting reporting() throws Exception {
    return new SnaptConfiguration.Reporting(
        NAME,
        first.port(),
        operator.reportKey(),
        "report",
        8,
        Duration.ZERO,
        100,
        Duration.ofMillis(200),
        Duration.ZERO,
        ReportTransport.GRPC,
        new SipWay("", 5061, true, ""));
  }

  private void report(long sequence) {
    snapt.reporting.close(
        TestUsage.of(
            UsageReport.newBuilder()
                .setSnaptId("snapt-1")
                .setSessionId(new UUID(1, 2).toString())
                .setEpoch(1)
                .setSequence(sequence)
                .build()),
        () -> {});
  }

  private ControlMessage hello() throws Exception {
    try (TestControl control = new TestControl(snapt.controlAddress, operator.trust())) {
      control.send(
          control
              .hello(operator.sign(TestOperator.token("alice", device).build()), device)
              .build());
      ControlMessage answer = control.next();
      if (answer.hasWelcome()) {
        control.send(ControlMessage.newBuilder().setGoodbye(Goodbye.getDefaultInstance()).build());
        assertThat(control.isClosedWithin(10)).isTrue();
      }
      return answer;
    }
  }

  @Test
  void statusesReportsAndCreditGoToTheNextAddressWhenABridgeDiesAndBackWhenThatDies()
      throws Exception {
    report(0);
    await().until(() -> first.reports.size() == 1 && first.creditStreams.get() > 0);
    assertThat(second.statuses).isEmpty();

    first.close();
    report(1);
    await().until(() -> second.reports.size() == 1 && second.creditStreams.get() > 0);
    await().until(() -> !second.statuses.isEmpty());
    assertThat(hello().hasWelcome()).isTrue();

    first = bridge(FIRST, second.port());
    second.close();
    report(2);
    await().until(() -> !first.statuses.isEmpty() && first.creditStreams.get() > 0);
    await().until(() -> snapt.reporting.pending() == 0);
    assertThat(first.reports).extracting(UsageReport::getSequence).contains(2L);
  }

  @Test
  void withoutAnyBridgeTokensAreServedAndReportsWaitUntilOneIsBackAndTellsWhatWasRevoked()
      throws Exception {
    int port = first.port();
    first.close();
    second.close();
    assertThat(hello().hasWelcome()).as("keys are known").isTrue();
    await().until(() -> snapt.reports.size() == 1);
    assertThat(snapt.reports.getFirst().getLast()).isTrue();
    assertThat(snapt.reporting.pending()).isEqualTo(1);

    second = bridge(SECOND, port);
    second.revocations =
        Revocations.newBuilder()
            .addEntries(
                Revocation.newBuilder()
                    .setAccount("alice")
                    .setReason(Revocation.Reason.SUSPENDED)
                    .setUntilMs(System.currentTimeMillis() + 3_600_000))
            .build();
    await().until(() -> snapt.reporting.pending() == 0);
    assertThat(second.reports).hasSize(1);
    await().until(() -> snapt.revoked.count() == 1);
    assertThat(hello().getRefusal().getCode()).isEqualTo(RefusalCode.TOKEN_REVOKED);
  }
}
