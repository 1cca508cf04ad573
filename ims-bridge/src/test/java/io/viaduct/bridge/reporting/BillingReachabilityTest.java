package io.viaduct.bridge.reporting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.viaduct.bridge.BillingStub;
import io.viaduct.bridge.BridgeRig;
import io.viaduct.bridge.ReservedPort;
import io.viaduct.service.tls.TestAuthority;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/// Billing is not up yet, starts, stops and starts again; over real sockets.
@Timeout(120)
class BillingReachabilityTest {
  @TempDir Path directory;
  private final ListAppender<ILoggingEvent> said = new ListAppender<>();
  private ReservedPort port;
  private BridgeRig rig;

  @BeforeEach
  void start() throws Exception {
    logger().setLevel(Level.INFO);
    logger().addAppender(said);
    said.start();
    port = new ReservedPort();
    rig = new BridgeRig(directory, port.number(), "");
  }

  @AfterEach
  void stop() throws Exception {
    logger().detachAppender(said);
    logger().setLevel(null);
    rig.close();
    port.close();
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(BillingReachability.class);
  }

  private boolean isReachable() {
    return rig.registry.get("viaduct_bridge_billing_reachable").gauge().value() == 1;
  }

  private List<String> lines(Level level) {
    return List.copyOf(said.list).stream()
        .filter(event -> event.getLevel() == level)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private void awaitReachable(boolean reachable) {
    await()
        .until(() -> {
          rig.clock.advance(Duration.ofSeconds(1));
          return isReachable() == reachable && rig.readiness.ready() == reachable;
        });
  }

  private BillingStub billing() throws Exception {
    return new BillingStub(rig.authority.material("danum-billing"), port.number());
  }

  @Test
  void billingThatHasNeverAnsweredIsNotReachableAndTheReasonNamesHostPortAndCause() {
    assertThat(isReachable()).isFalse();
    assertThat(rig.readiness.reasons())
        .singleElement()
        .asString()
        .startsWith("billing: 127.0.0.1:" + port.number());
    await().until(() -> !lines(Level.WARN).isEmpty());
    rig.clock.advance(Duration.ofMinutes(1));
    await().until(() -> rig.registry.get("viaduct_bridge_billing_failures").counter().count() > 1);
    assertThat(lines(Level.WARN))
        .as("logged once")
        .singleElement()
        .asString()
        .contains("127.0.0.1:" + port.number())
        .contains("Connection refused");
    assertThat(isReachable()).isFalse();
    assertThat(rig.readiness.reasons()).singleElement().asString().contains("Connection refused");
  }

  @Test
  void billingOfAnotherAuthorityIsOneLineWithPeerAndReason() throws Exception {
    var foreign = new TestAuthority(directory.resolve("other")).material("danum-billing");
    try (BillingStub _ = new BillingStub(foreign, port.number())) {
      await()
          .until(() -> {
            rig.clock.advance(Duration.ofSeconds(2));
            return lines(Level.WARN).stream().anyMatch(line -> line.contains("authority"));
          });
      assertThat(lines(Level.WARN))
          .filteredOn(line -> line.contains("authority"))
          .singleElement()
          .asString()
          .contains("127.0.0.1:" + port.number(), "not signed by an authority that is trusted here")
          .hasLineCount(1);
    }
  }

  @Test
  void readinessFollowsBillingWithoutAnyReportAndForgivesAMoment() throws Exception {
    try (BillingStub _ = billing()) {
      awaitReachable(true);
    }
    await()
        .until(() -> {
          rig.clock.advance(
              Duration.ofSeconds(6)); // an empty submission follows 5 s after the last answer
          return !isReachable();
        });
    awaitReachable(false);
    try (BillingStub _ = billing()) {
      awaitReachable(true);
    }
    assertThat(lines(Level.INFO))
        .containsExactly(
            "billing at 127.0.0.1:" + port.number() + " answers",
            "billing at 127.0.0.1:" + port.number() + " answers again");
  }

  @Test
  void aMomentWithoutBillingLeavesTheBridgeReady() throws Exception {
    BillingStub billing = billing();
    awaitReachable(true);
    billing.broken = true;
    rig.clock.advance(Duration.ofSeconds(6));
    await().until(() -> !isReachable());
    assertThat(rig.readiness.ready()).isTrue();
    rig.clock.advance(Duration.ofSeconds(4));
    billing.broken = false;
    await().until(this::isReachable);
    assertThat(rig.readiness.ready()).isTrue();
    billing.close();
  }
}
