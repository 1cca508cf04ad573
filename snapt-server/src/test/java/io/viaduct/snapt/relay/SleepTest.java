package io.viaduct.snapt.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.service.tls.Ed25519;
import io.viaduct.snapt.PacketText;
import io.viaduct.snapt.TestControl;
import io.viaduct.snapt.TestOperator;
import io.viaduct.snapt.TestSnapt;
import io.viaduct.snapt.TestTunnel;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.UsageReport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A session beyond its token, with real sockets and short intervals.
class SleepTest {
  private static final Duration INTERVAL = Duration.ofMillis(200);
  private static final long VALID_MS = 8_000; // longer than the set-up takes on a busy machine

  @TempDir private Path folder;
  private final KeyPair device = Ed25519.generate();
  private TestSnapt snapt;
  private TestControl control;
  private TestTunnel tunnel;
  private SessionToken token;
  private boolean fallenSilent;

  @BeforeEach
  void sessionCarries() throws Exception {
    TestOperator operator = new TestOperator(folder.resolve("pki"));
    snapt = new TestSnapt(operator, folder, 1, INTERVAL);
    control = new TestControl(snapt.controlAddress, operator.trust());
    token =
        TestOperator.token("alice", device)
            .setExpiresMs(System.currentTimeMillis() + VALID_MS)
            .build();
    control.send(control.hello(operator.sign(token), device).build());
    tunnel =
        new TestTunnel(
            control.next().getWelcome(),
            snapt.dataAddress,
            new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
    tunnel.send(PacketText.up());
    assertThat(snapt.nextOut()).isNotNull();
  }

  private void awaitSleep() {
    await()
        .until(() -> System.currentTimeMillis() > token.getExpiresMs() + 3 * INTERVAL.toMillis());
  }

  @AfterEach
  void stop() {
    if (!fallenSilent) {
      tunnel.close();
    }
    control.close();
    snapt.close();
  }

  @Test
  void aPacketToASleepingDeviceIsDroppedAndCounted() throws Exception {
    tunnel.close(); // else it answers the SNAPT by itself
    fallenSilent = true;
    awaitSleep();
    String pool = TestSnapt.POOL.ipv4().address(snapt.onlySession().slot());
    snapt.inject(0, PacketText.udp("203.0.113.7", 9000, pool, 5000, 'd'));
    await().until(() -> snapt.count(loop -> loop.of(Drop.ASLEEP)) == 1);
  }

  @Test
  void whatADeviceSendsInItsGraceIsInAnIntervalThatItsTokenIsValidFor() throws Exception {
    awaitSleep();
    int before = snapt.reports.size();
    tunnel.send(PacketText.up());
    assertThat(snapt.nextOut()).as("the first packet does not wait for a token").isNotNull();
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> !snapt.reports.isEmpty() && snapt.reports.getLast().getLast());
    assertThat(snapt.reports)
        .allSatisfy(
            report -> assertThat(report.getStartMs()).isLessThanOrEqualTo(token.getExpiresMs()));
    long sum = snapt.reports.stream().mapToLong(UsageReport::getPreBytes).sum();
    assertThat(sum).isEqualTo(2L * PacketText.up().length);
    assertThat(snapt.reports).as("no interval ended in the grace").hasSize(before + 1);
  }
}
