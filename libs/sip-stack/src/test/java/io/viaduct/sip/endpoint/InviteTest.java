package io.viaduct.sip.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.InviteBranch;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Transactions of INVITE between two endpoints, and with a peer that loses messages.
@Timeout(60)
class InviteTest {
  @RegisterExtension private final Endpoints endpoints = new Endpoints();
  private final List<IncomingRequest> received = new CopyOnWriteArrayList<>();
  private final List<SipResponse> responses = new CopyOnWriteArrayList<>();
  private final List<SipException> failures = new CopyOnWriteArrayList<>();
  private final AtomicInteger cancels = new AtomicInteger();

  private final InviteBranch.Events events =
      new InviteBranch.Events() {
        @Override
        public void onResponse(SipResponse response) {
          responses.add(response);
        }

        @Override
        public void onFailure(SipException failure) {
          failures.add(failure);
        }
      };

  private SipEndpoint server() throws Exception {
    return endpoints.start(request -> {
      received.add(request);
      if (request.message().method().equals("INVITE")) {
        request.begin(cancels::incrementAndGet);
      }
    });
  }

  private static SipFlow to(int port, Transport transport) {
    return new SipFlow(transport, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  private static SipRequest invite() {
    return new SipRequest(
        "INVITE",
        "sip:bob@ims.test",
        SipHeaders.NONE
            .with("From", "<sip:alice@ims.test>;tag=" + SipEndpoint.token())
            .with("To", "<sip:bob@ims.test>")
            .with("Call-ID", SipEndpoint.token())
            .with("CSeq", "7 INVITE")
            .with("Max-Forwards", "70"));
  }

  @ParameterizedTest
  @EnumSource(names = {"UDP", "TCP"})
  void provisionalResponsesAndARefusalComeOnceAndTheRefusalIsAcknowledged(Transport transport)
      throws Exception {
    SipEndpoint server = server();
    SipEndpoint client = endpoints.start(request -> request.answer(501));
    client.invite(invite(), to(server.port(), transport), "", events);
    await().until(() -> received.size() == 1);
    IncomingRequest invite = received.getFirst();
    invite.answer(180);
    await().until(() -> responses.size() == 1);
    invite.answer(486);

    await().until(() -> responses.size() == 2);
    assertThat(responses).extracting(SipResponse::status).containsExactly(180, 486);
    invite.answer(200); // too late
    assertThat(received).as("the ACK of a refusal ends in the endpoint").hasSize(1);
  }

  @Test
  void eachAcceptanceComesAndItsAckIsForTheHandler() throws Exception {
    SipEndpoint server = server();
    SipEndpoint client = endpoints.start(request -> request.answer(501));
    SipRequest invite = invite();
    client.invite(invite, to(server.port(), Transport.UDP), "", events);
    await().until(() -> received.size() == 1);
    SipResponse one = SipResponse.to(received.getFirst().message(), 200).withToTag("one");
    received.getFirst().answer(one);
    received.getFirst().answer(one);
    received
        .getFirst()
        .answer(SipResponse.to(received.getFirst().message(), 200).withToTag("other"));

    await().until(() -> responses.size() == 3);
    assertThat(responses)
        .extracting(response -> response.to().tag())
        .containsExactlyInAnyOrder("one", "one", "other");
    SipRequest ack =
        new SipRequest(
            "ACK",
            "sip:bob@ims.test",
            invite.headers().replace("CSeq", "7 ACK").replace("To", "<sip:bob@ims.test>;tag=one"));
    client.sendAck(ack, to(server.port(), Transport.UDP));
    client.sendAck(ack, to(server.port(), Transport.UDP));
    await().until(() -> received.size() == 3);
  }

  @Test
  void aCancelWaitsForTheFirstResponseAndIsAnsweredByTheEndpoint() throws Exception {
    SipEndpoint server = server();
    SipEndpoint client = endpoints.start(request -> request.answer(501));
    client.invite(invite(), to(server.port(), Transport.UDP), "", events).cancel("SIP;cause=200");
    await().until(() -> cancels.get() == 1);
    received.getFirst().answer(487);
    await().until(() -> responses.size() == 1);
    assertThat(received).as("the handler sees no CANCEL").hasSize(1);
  }

  @Test
  void anInviteIsRepeatedUntilAResponseComesAndARefusalUntilItsAck() throws Exception {
    SipEndpoint client = endpoints.start(request -> request.answer(501));
    try (RawPeer peer = new RawPeer()) {
      client.invite(invite(), to(peer.port(), Transport.UDP), "", events);
      String first = peer.receive(10_000).orElseThrow();
      assertThat(peer.receive(10_000)).hasValue(first);
    }
    SipEndpoint server = server();
    try (RawPeer peer = new RawPeer()) {
      String invite = peer.options("i").replace("OPTIONS", "INVITE");
      peer.send(invite, server.port());
      assertThat(peer.receive(10_000).orElseThrow()).startsWith("SIP/2.0 100 ");
      peer.send(invite, server.port());
      assertThat(peer.receive(10_000).orElseThrow()).startsWith("SIP/2.0 100 ");
      received.getFirst().answer(486);
      String refusal = peer.receive(10_000).orElseThrow();
      assertThat(peer.receive(10_000)).hasValue(refusal);
      peer.send(invite.replace("INVITE", "ACK"), server.port());
      await().until(() -> peer.receive(2_000).isEmpty());
      assertThat(received).hasSize(1);
    }
  }

  @Test
  void anUnreachableTargetIsAFailure() throws Exception {
    SipEndpoint client = endpoints.start(request -> request.answer(501));
    int port;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = taken.getLocalPort();
    }
    client.invite(invite(), to(port, Transport.TCP), "", events);
    await().until(() -> !failures.isEmpty());
    assertThat(failures.getFirst().reason()).isEqualTo(SipException.Reason.TRANSPORT);
  }

  @Test
  void moreInvitesThanTheLimitFailAtOnce() throws Exception {
    SipEndpoint client = endpoints.start(request -> request.answer(501));
    int limit = Endpoints.usual().pending();
    try (RawPeer peer = new RawPeer()) {
      for (int i = 0; i <= limit; i++) {
        client.invite(invite(), to(peer.port(), Transport.UDP), "", events);
      }
    }
    assertThat(failures)
        .singleElement()
        .extracting(SipException::reason)
        .isEqualTo(SipException.Reason.OVERLOAD);
  }
}
