package io.viaduct.bridge.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.digest.DigestAlgorithm;
import io.viaduct.sip.digest.DigestClient;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Calls to user agents with several flows (RFC 5626), and to those that move during a call.
@Timeout(120)
class CallFlowsTest {
  private static final String DEVICE = ";+sip.instance=\"<urn:uuid:0-1>\"";

  @TempDir Path directory;
  private final List<Phone> phones = new ArrayList<>();
  private BridgeRig rig;
  private Phone alice;

  @BeforeEach
  void start() throws Exception {
    rig =
        new BridgeRig(
            directory, BridgeRig.NO_BILLING, text -> text.replace("contacts: 2", "contacts: 4"));
    alice = phone("alice", "");
  }

  @AfterEach
  void stop() throws Exception {
    for (Phone phone : phones) {
      phone.close();
    }
    rig.close();
  }

  private Phone phone(String user, String parameters) throws Exception {
    Phone phone = new Phone(user, rig.bridge.sipPort());
    phones.add(phone);
    rig.clock.advance(Duration.ofSeconds(1)); // the latest flow comes first
    phone.register(parameters, 600);
    return phone;
  }

  private int bindings(String user) {
    return rig.bridge.locations().bindings(user, rig.clock.instant()).size();
  }

  /// Registers a flow over TCP, and loses its connection.
  private void loseFlow(String user, int number) throws Exception {
    DigestClient digest = new DigestClient(user, user + "-secret", Set.of(DigestAlgorithm.SHA_256));
    SipFlow bridge =
        new SipFlow(
            Transport.TCP,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), rig.bridge.sipPort()));
    rig.clock.advance(Duration.ofSeconds(1));
    try (SipEndpoint endpoint =
        SipEndpoint.start(
            SipEndpointSettings.client(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
            InstantSource.system(),
            request -> request.answer(500))) {
      SipResponse answer = null;
      for (int cseq = 1; cseq <= 2; cseq++) {
        SipRequest register =
            new SipRequest(
                "REGISTER",
                "sip:ims.test",
                SipHeaders.NONE
                    .with("Max-Forwards", "70")
                    .with("User-Agent", "viaduct")
                    .with("Supported", "outbound")
                    .with("From", "<sip:%s@ims.test>;tag=1".formatted(user))
                    .with("To", "<sip:%s@ims.test>".formatted(user))
                    .with("Call-ID", "flow-" + number)
                    .with("CSeq", cseq + " REGISTER")
                    .with(
                        "Contact",
                        "<sip:%s@127.0.0.1:%d;transport=tcp>%s;reg-id=%d"
                            .formatted(user, endpoint.port(), DEVICE, number))
                    .with("Expires", "600"));
        answer = endpoint.send(digest.authorize(register), bridge).get(30, TimeUnit.SECONDS);
        digest.acceptChallenge(answer);
      }
      assertThat(answer.status()).isEqualTo(200);
    }
  }

  @Test
  void aCallGoesToTheNextFlowIfTheConnectionOfTheLatestIsGone() throws Exception {
    Phone bob = phone("bob", DEVICE + ";reg-id=1");
    loseFlow("bob", 2);
    assertThat(bindings("bob")).isEqualTo(2);

    Dialog caller = Dialog.call(alice, "bob");
    bob.answer(bob.request("INVITE"), 200);

    caller.accepted(alice.response("INVITE", 200));
    bob.request("ACK");
    assertThat(bindings("bob")).as("the dead flow is removed").isEqualTo(1);
  }

  @Test
  void aCallGoesToTheNextFlowIfAnEdgeProxySaysThatTheLatestHasFailed() throws Exception {
    Phone bob = phone("bob", DEVICE + ";reg-id=1");
    Phone edge = phone("bob", DEVICE + ";reg-id=2");
    Dialog caller = Dialog.call(alice, "bob");

    edge.answer(edge.request("INVITE"), 430);

    bob.answer(bob.request("INVITE"), 200);
    caller.accepted(alice.response("INVITE", 200));
    assertThat(bindings("bob")).isEqualTo(1);
  }

  @Test
  void aUserAgentThatHasRungGetsTheCallByNoOtherFlow() throws Exception {
    Phone bob = phone("bob", DEVICE + ";reg-id=1");
    Phone edge = phone("bob", DEVICE + ";reg-id=2");
    Dialog caller = Dialog.call(alice, "bob");
    SipRequest invite = edge.request("INVITE");
    edge.answer(invite, 180);
    alice.response("INVITE", 180);

    edge.answer(invite, 430);

    caller.acknowledge(alice.response("INVITE", 430));
    assertThat(bob.any(m -> m.method().equals("INVITE"))).isEmpty();
  }

  /// Sets up a call of alice with bob, whose device gives a Contact in the dialog; then that device
  /// registers from another address, and alice ends the call.
  private void endAfterMove(String registered, String inDialog) throws Exception {
    Phone bob = new Phone("bob", rig.bridge.sipPort());
    phones.add(bob);
    bob.register(DEVICE, 600, registered);
    Phone tablet = phone("bob", ";+sip.instance=\"<urn:uuid:0-2>\";q=0.1");
    Dialog caller = Dialog.call(alice, "bob");
    SipRequest invite = bob.request("INVITE");
    SipResponse accepted = SipResponse.to(invite, 200).withToTag("t");
    for (String route : invite.headers().all("Record-Route")) {
      accepted = accepted.with("Record-Route", route);
    }
    bob.send(accepted.with("Contact", "<" + inDialog + ">"));
    caller.accepted(alice.response("INVITE", 200));
    bob.request("ACK");

    Phone moved = new Phone("bob", rig.bridge.sipPort());
    phones.add(moved);
    rig.clock.advance(Duration.ofSeconds(1));
    moved.register(DEVICE, 600, registered);
    rig.clock.advance(Duration.ofSeconds(1));
    tablet.register(";+sip.instance=\"<urn:uuid:0-2>\";q=0.1", 600); // the latest registration

    caller.send("BYE");

    moved.answer(moved.request("BYE"), 200);
    alice.response("BYE", 200);
    assertThat(tablet.any(m -> m.method().equals("BYE"))).isEmpty();
  }

  @Test
  void aRequestToAGruuFollowsTheUserAgent() throws Exception {
    endAfterMove("sip:bob@device.invalid", "sip:bob@ims.test;gr=urn:uuid:0-1");
  }

  @Test
  void aRequestToTheSameContactWithOtherParametersFollowsIt() throws Exception {
    endAfterMove("sip:bob@device.invalid;a=1;b=2", "sip:bob@device.invalid;ob;b=2;a=1");
  }

  @Test
  void aRequestToAContactThatIsNotRegisteredFollowsTheInstanceOfTheCall() throws Exception {
    endAfterMove("sip:bob@device.invalid", "sip:bob-0x55d0@192.0.2.7:5062");
  }
}
