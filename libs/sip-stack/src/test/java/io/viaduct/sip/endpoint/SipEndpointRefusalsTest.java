package io.viaduct.sip.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipStatistics.Count;
import io.viaduct.sip.guard.Refusal;
import io.viaduct.sip.stun.StunMessage;
import io.viaduct.sip.stun.TransactionId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Tests the answers to refused messages, and their counters.
@Timeout(60)
class SipEndpointRefusalsTest {
  @RegisterExtension private final Endpoints endpoints = new Endpoints();

  /// The datagram kills the threads of an unguarded stack: a Via comment that ends in a lone
  /// backslash. After sixteen of them the endpoint must still work.
  @Test
  void theViaCommentDenialOfServiceIsRefusedAndTheEndpointKeepsAnswering() throws Exception {
    SipEndpoint server = endpoints.start(request -> request.answer(200));
    try (RawPeer peer = new RawPeer()) {
      for (int i = 0; i < 16; i++) {
        peer.send(
            peer.options("dos" + i).replace(";rport", ";rport (a comment without end\\"),
            server.port());
      }
      await().until(() -> server.statistics().of(Refusal.VIA_BACKSLASH) == 16);
      assertThat(peer.receive(200)).as("nothing is answered to it").isEmpty();
      for (int i = 0; i < 20; i++) {
        peer.send(peer.options("good" + i), server.port());
        assertThat(peer.receive(5_000).orElseThrow()).startsWith("SIP/2.0 200 OK");
      }
    }
    assertThat(server.statistics().of(Count.REQUEST_RECEIVED)).isEqualTo(20);
  }

  @Test
  void anotherVersionIsAnsweredWith505AndNothingOfTheRequestIsReflected() throws Exception {
    SipEndpoint server = endpoints.start(request -> request.answer(200));
    try (RawPeer peer = new RawPeer()) {
      peer.send(
          peer.options("v7").replace("SIP/2.0\r\nVia", "SIP/7.0\r\nSubject: mirror me\r\nVia"),
          server.port());
      assertThat(peer.receive(5_000).orElseThrow())
          .startsWith("SIP/2.0 505 ")
          .doesNotContain("mirror me");
      assertThat(server.statistics().of(Refusal.VERSION_NOT_SUPPORTED)).isEqualTo(1);
    }
  }

  @Test
  void aHeadThatIsTooLongIsAnsweredAndTheAnswerIsShorter() throws Exception {
    SipEndpoint server = endpoints.start(request -> request.answer(200));
    try (RawPeer peer = new RawPeer()) {
      String tooLong =
          peer.options("long")
              .replace("Max-Forwards", "X: " + "x".repeat(2_100) + "\r\nMax-Forwards");
      peer.send(tooLong, server.port());
      assertThat(peer.receive(5_000).orElseThrow())
          .startsWith("SIP/2.0 513 Message Too Large: line too long\r\n")
          .contains("Call-ID: long@probe\r\n")
          .hasSizeLessThan(tooLong.length());
      String hops =
          peer.options("hops")
              .replace("From:", "Via: SIP/2.0/UDP h;branch=z9hG4bKx\r\n".repeat(48) + "From:");
      peer.send(hops, server.port());
      assertThat(peer.receive(5_000).orElseThrow())
          .startsWith("SIP/2.0 483 Too Many Hops: too many vias\r\n");
      assertThat(server.statistics().of(Refusal.LINE_TOO_LONG)).isEqualTo(1);
    }
  }

  @Test
  void twoContentLengthsAreAnsweredWith400() throws Exception {
    SipEndpoint server = endpoints.start(request -> request.answer(200));
    try (RawPeer peer = new RawPeer()) {
      peer.send(
          peer.options("cl").replace("Content-Length: 0", "Content-Length: 0\r\nl: 5"),
          server.port());
      assertThat(peer.receive(5_000).orElseThrow()).startsWith("SIP/2.0 400 ");
      assertThat(server.statistics().of(Refusal.DUPLICATE_CONTENT_LENGTH)).isEqualTo(1);
    }
  }

  private static void hold(CountDownLatch release) {
    try {
      release.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void requestsOverTheAdmissionLimitGet503WithRetryAfter() throws Exception {
    SipEndpointSettings s = Endpoints.usual();
    var release = new CountDownLatch(1);
    SipEndpoint server =
        endpoints.start(
            new SipEndpointSettings(s.sockets(), "", s.guard(), 2, 3, 100, 100, 100),
            InstantSource.fixed(Instant.EPOCH),
            request -> {
              hold(release);
              request.answer(200);
            });
    try (RawPeer peer = new RawPeer()) {
      for (int i = 0; i < 10; i++) {
        peer.send(peer.options("load" + i), server.port());
      }
      for (int i = 0; i < 3; i++) {
        assertThat(peer.receive(5_000).orElseThrow())
            .startsWith("SIP/2.0 503 Overloaded: try again in 2 s")
            .contains("Retry-After: ");
      }
      await().until(() -> server.statistics().of(Refusal.OVERFLOW) == 5);
      assertThat(server.statistics().of(Refusal.OVERLOAD)).isEqualTo(3);
      release.countDown();
      assertThat(peer.receive(5_000).orElseThrow()).startsWith("SIP/2.0 200 ");
      assertThat(peer.receive(5_000).orElseThrow()).startsWith("SIP/2.0 200 ");
      peer.send(peer.options("load9"), server.port());
      assertThat(peer.receive(5_000).orElseThrow()).startsWith("SIP/2.0 200 ");
    }
  }

  @Test
  void anAckOverTheAdmissionLimitIsDroppedAndCounted() throws Exception {
    SipEndpointSettings s = Endpoints.usual();
    var release = new CountDownLatch(1);
    SipEndpoint server =
        endpoints.start(
            new SipEndpointSettings(s.sockets(), "", s.guard(), 1, 100, 100, 100, 100),
            InstantSource.fixed(Instant.EPOCH),
            _ -> hold(release));
    try (RawPeer peer = new RawPeer()) {
      for (int i = 0; i < 3; i++) {
        peer.send(peer.options("ack" + i).replace("OPTIONS", "ACK"), server.port());
      }
      await().until(() -> server.statistics().of(Refusal.OVERFLOW) == 1);
      peer.send(peer.options("next"), server.port());
      assertThat(peer.receive(5_000).orElseThrow())
          .as("the first answer is that to OPTIONS")
          .startsWith("SIP/2.0 503 ")
          .contains("CSeq: 1 OPTIONS");
    } finally {
      release.countDown();
    }
  }

  @Test
  void aSourceThatHasNotProvedToBeThereGetsFewAnswersOverUdp() throws Exception {
    SipEndpoint server = endpoints.limited(64, Duration.ofSeconds(30), Duration.ofSeconds(30), 2);
    try (RawPeer peer = new RawPeer()) {
      for (int i = 0; i < 40; i++) {
        peer.send(peer.options("flood" + i), server.port());
      }
      await().until(() -> server.statistics().of(Refusal.TOO_MANY_ANSWERS) == 30);
      assertThat(server.statistics().of(Count.RESPONSE_SENT)).isEqualTo(10);
      peer.send(peer.options("flood1"), server.port());
      await().until(() -> server.statistics().of(Count.RETRANSMISSION_ABSORBED) == 1);
      assertThat(server.statistics().of(Refusal.TOO_MANY_ANSWERS))
          .as("a remembered answer counts too")
          .isEqualTo(31);
      peer.send(peer.options("proved"), server.port());
      await().until(() -> server.statistics().of(Count.RESPONSE_SENT) == 11);
      peer.send(peer.options("more"), server.port());
      await().until(() -> server.statistics().of(Count.RESPONSE_SENT) == 12);
    }
  }

  @Test
  void aStunRequestGetsAnAnswerThatIsNotLongerOrIsTakenFromTheBudgetOfItsSource() throws Exception {
    SipEndpoint server = endpoints.limited(64, Duration.ofSeconds(30), Duration.ofSeconds(30), 2);
    byte[] padded = StunMessage.request(new TransactionId(1, 2), false);
    byte[] bare = Arrays.copyOf(padded, StunMessage.HEADER_BYTES);
    bare[3] = 0;
    try (RawPeer peer = new RawPeer()) {
      for (int i = 0; i < 40; i++) {
        peer.send(bare, server.port());
      }
      await().until(() -> server.statistics().of(Refusal.TOO_MANY_ANSWERS) == 30);
      assertThat(server.statistics().of(Count.STUN_ANSWERED)).isEqualTo(10);
      for (int i = 0; i < 20; i++) {
        peer.send(padded, server.port());
      }
      await().until(() -> server.statistics().of(Count.STUN_ANSWERED) == 30);
      padded[1] = 17; // an indication
      peer.send(padded, server.port());
      await().until(() -> server.statistics().of(Refusal.MALFORMED_STUN) == 1);
    }
  }

  @Test
  void aKeepAliveByStunTellsTheAddressThatThePeerSees() throws Exception {
    SipEndpoint server = endpoints.start(request -> request.answer(200));
    SipEndpoint client = endpoints.start(request -> request.answer(501));
    SipFlow to =
        new SipFlow(
            Transport.UDP, new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
    StunMessage.Success first = client.keepAlive(to).get(20, TimeUnit.SECONDS);
    assertThat(first.mapped().getPort()).isEqualTo(client.port());
    assertThat(first.run()).hasSize(StunMessage.RUN_BYTES);
    assertThat(client.keepAlive(to).get(20, TimeUnit.SECONDS).run()).isEqualTo(first.run());
    try (RawPeer forger = new RawPeer()) {
      forger.send(StunMessage.success(first), client.port());
      await().until(() -> client.statistics().of(Refusal.STRAY_RESPONSE) == 1);
    }
  }

  @Test
  void aResponseToNothingIsCountedAsStray() throws Exception {
    SipEndpoint client = endpoints.start(request -> request.answer(501));
    try (RawPeer peer = new RawPeer()) {
      peer.send(
          peer.options("stray").replace("OPTIONS sip:server@ims.test SIP/2.0", "SIP/2.0 200 OK"),
          client.port());
      await().until(() -> client.statistics().of(Refusal.STRAY_RESPONSE) == 1);
    }
  }
}
