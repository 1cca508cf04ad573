package io.viaduct.service.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.NotSslRecordException;
import io.viaduct.service.logging.CapturedLog;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class FailedHandshakeLogTest {
  private static final InetSocketAddress PEER = new InetSocketAddress("192.0.2.7", 40_112);

  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
  private final FailedHandshakeLog log = new FailedHandshakeLog("the listener", now::get);

  @Test
  void aPeerGetsOneLineAMinuteWithItsReasonAndTheOthersAreCounted() {
    try (CapturedLog said = CapturedLog.of(FailedHandshakeLog.class.getName())) {
      for (int i = 0; i < 5; i++) {
        log.failed(PEER, new NotSslRecordException("not an SSL/TLS record: 474554202f"));
      }
      log.failed(new InetSocketAddress("192.0.2.8", 1), "it does not ask for viaduct/1");
      now.set(Instant.EPOCH.plusSeconds(61));
      log.failed(PEER, new ClosedChannelException());
      assertThat(said.lines(""))
          .containsExactly(
              "the listener: TLS with 192.0.2.7:40112 failed: it does not speak TLS",
              "the listener: TLS with 192.0.2.8:1 failed: it does not ask for viaduct/1;"
                  + " 4 more failed since the last line",
              "the listener: TLS with 192.0.2.7:40112 failed: the other end closed the connection");
    }
  }

  @Test
  void manyPeersDoNotFillTheLog() {
    try (CapturedLog said = CapturedLog.of(FailedHandshakeLog.class.getName())) {
      for (int i = 0; i < 1000; i++) {
        log.failed(new InetSocketAddress("10.0.%d.%d".formatted(i / 250, i % 250), 1), "x");
      }
      assertThat(said.lines("")).hasSize(20);
    }
  }

  @Test
  void theReasonIsOneLineFromTheRootOfTheFailure() {
    assertThat(
            HandshakeFailure.reason(
                new SSLHandshakeException("Received fatal alert: certificate_unknown")))
        .isEqualTo(
            "the other end refuses the certificate that it was shown (TLS alert certificate_unknown)");
    assertThat(
            HandshakeFailure.reason(
                new IllegalStateException("io exception\nChannel Pipeline: [a, b]")))
        .isEqualTo("io exception");
    assertThat(
            HandshakeFailure.reason(
                new SSLHandshakeException("x").initCause(new CertPathBuilderException("y"))))
        .isEqualTo("its certificate is not signed by an authority that is trusted here");
    assertThat(HandshakeFailure.reason(new NullPointerException()))
        .as("an exception without a message")
        .isEqualTo("NullPointerException");
  }
}
