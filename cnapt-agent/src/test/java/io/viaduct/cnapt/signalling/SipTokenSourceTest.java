package io.viaduct.cnapt.signalling;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.service.clock.PeerClock;
import io.viaduct.service.configuration.Secret;
import io.viaduct.service.logging.CapturedLog;
import io.viaduct.service.tls.TestAuthority;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A bridge that is not there when the agent leaves.
@Timeout(60)
class SipTokenSourceTest {
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  @TempDir Path folder;

  private void leaves(String transport, int port, String... words) throws Exception {
    Path password = TestAuthority.secret(folder.resolve("password-" + transport), "sesame");
    SignallingSettings settings =
        new SignallingSettings(
            HERE.getHostAddress(),
            port,
            transport,
            "ims.test",
            "alice",
            Optional.of(Secret.of(password.toString())),
            Duration.ofMinutes(10),
            Duration.ofHours(1),
            Duration.ofSeconds(30));
    try (CapturedLog said = CapturedLog.of("io.viaduct.cnapt.signalling")) {
      SipTokenSource source =
          new SipTokenSource(
              settings,
              0,
              new byte[32],
              InstantSource.system(),
              System::nanoTime,
              new PeerClock("the bridge"));
      source.start(_ -> {});
      source.close();
      assertThat(said.lines("could not deregister"))
          .singleElement()
          .asString()
          .contains(words)
          .doesNotContain("null", "Exception", "with a stack trace")
          .hasLineCount(1);
      assertThat(said.lines("null")).isEmpty();
    }
  }

  @Test
  void aSilentBridgeIsNotWaitedForAndTheLineSaysSo() throws Exception {
    try (DatagramSocket silent = new DatagramSocket(new InetSocketAddress(HERE, 0))) {
      leaves("udp", silent.getLocalPort(), "no answer within 2 s");
    }
  }

  @Test
  void aBridgeThatRefusesConnectionsIsALineWithItsReason() throws Exception {
    int closed;
    try (ServerSocket once = new ServerSocket(0, 1, HERE)) {
      closed = once.getLocalPort();
    }
    leaves("tcp", closed, "could not deregister");
  }
}
