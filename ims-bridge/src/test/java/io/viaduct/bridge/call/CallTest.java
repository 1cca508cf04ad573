package io.viaduct.bridge.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.usage.v1.CreditState;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Calls between raw user agents, through a real bridge.
@Timeout(120)
class CallTest {
  @TempDir static Path directory;
  private static BridgeRig rig;
  private final List<Phone> phones = new ArrayList<>();
  private Phone alice;
  private Phone bob;

  @BeforeAll
  static void startBridge() throws Exception {
    rig =
        new BridgeRig(
            directory,
            BridgeRig.NO_BILLING,
            text -> text.replace("contacts: 2", "contacts: 4") + "calls: {per-user: 2}\n");
  }

  @AfterAll
  static void stopBridge() throws Exception {
    rig.close();
  }

  @BeforeEach
  void register() throws Exception {
    alice = phone("alice", "");
    bob = phone("bob", "");
  }

  @AfterEach
  void deregister() throws Exception {
    for (Phone phone : phones) {
      phone.close();
    }
    rig.clock.advance(Duration.ofHours(25)); // no call of one test counts in another one
    await().until(() -> calls() == 0);
  }

  private Phone phone(String user, String parameters) throws Exception {
    Phone phone = new Phone(user, rig.bridge.sipPort());
    phones.add(phone);
    phone.register(parameters, 600);
    return phone;
  }

  private static double calls() {
    return rig.registry.get("viaduct_bridge_calls").gauge().value();
  }

  private static double event(String event) {
    return rig.counter("viaduct_bridge_sip_events", "event", event);
  }

  private static double refused(String reason) {
    return rig.counter("viaduct_bridge_sip_refused", "reason", reason);
  }

  private static double branches(String outcome) {
    return rig.counter("viaduct_bridge_call_branches", "outcome", outcome);
  }

  /// Both ends of a call that stands.
  private record Talk(Dialog caller, Dialog callee) {}

  private Talk talk(String... headers) throws Exception {
    Dialog caller = Dialog.call(alice, "bob", headers);
    SipRequest invite = bob.request("INVITE");
    Dialog callee = Dialog.of(bob, invite, bob.answer(invite, 200));
    caller.accepted(alice.response("INVITE", 200));
    bob.request("ACK");
    return new Talk(caller, callee);
  }

  @Test
  void aCallIsSetUpAndEndedAndAllItsRequestsTakeTheWayOfTheFirst() throws Exception {
    double answered = event("call_answered");
    double ended = event("call_ended");
    Dialog caller = Dialog.call(alice, "bob", "P-Asserted-Identity", "<sip:carol@ims.test>");

    alice.response("INVITE", 100);
    SipRequest invite = bob.request("INVITE");
    assertThat(invite.uri()).isEqualTo(bob.contact());
    assertThat(invite.headers().require("Max-Forwards")).isEqualTo("69");
    assertThat(invite.headers().first("Proxy-Authorization")).isEmpty();
    assertThat(invite.headers().first("P-Asserted-Identity")).isEmpty();
    assertThat(invite.headers().values("Record-Route")).hasSize(1);
    assertThat(invite.headers().values("Via")).hasSize(2);

    bob.answer(invite, 180);
    assertThat(alice.response("INVITE", 180).headers().values("Record-Route")).hasSize(1);
    Dialog callee = Dialog.of(bob, invite, bob.answer(invite, 200));
    SipResponse ok = alice.response("INVITE", 200);
    assertThat(ok.headers().values("Via")).hasSize(1);
    caller.accepted(ok);
    SipRequest ack = bob.request("ACK");
    assertThat(ack.uri()).isEqualTo(bob.contact());
    assertThat(ack.headers().first("Route")).isEmpty();
    assertThat(calls()).isEqualTo(1);
    assertThat(event("call_answered")).isEqualTo(answered + 1);

    for (String method : List.of("PRACK", "UPDATE", "INFO", "INVITE")) {
      caller.send(method);
      SipRequest there = bob.request(method);
      assertThat(there.uri()).isEqualTo(bob.contact());
      bob.answer(there, 200);
      SipResponse back = alice.response(method, 200);
      if (method.equals("INVITE")) {
        caller.accepted(back);
        bob.request("ACK");
      }
    }
    callee.send("BYE");
    SipRequest bye = alice.request("BYE");
    assertThat(bye.uri()).isEqualTo(alice.contact());
    alice.answer(bye, 200);
    bob.response("BYE", 200);
    await().until(() -> calls() == 0);
    assertThat(event("call_ended")).isEqualTo(ended + 1);
  }

  @Test
  void allDevicesRingAndTheFirstThatAnswersHasTheCall() throws Exception {
    Phone tablet = phone("bob", "");
    double cancelled = branches("cancelled");
    Dialog caller = Dialog.call(alice, "bob");
    SipRequest here = bob.request("INVITE");
    SipRequest there = tablet.request("INVITE");
    assertThat(here.headers().require("Via")).isNotEqualTo(there.headers().require("Via"));
    bob.answer(here, 180);
    tablet.answer(there, 180);

    tablet.answer(there, 200);

    caller.accepted(alice.response("INVITE", 200));
    tablet.request("ACK");
    SipRequest cancel = bob.request("CANCEL");
    assertThat(cancel.headers().require("Via")).isEqualTo(here.headers().values("Via").getFirst());
    assertThat(cancel.headers().require("Reason")).contains("cause=200");
    bob.answer(cancel, 200);
    bob.answer(here, 487);
    assertThat(bob.request("ACK").cseq().method()).isEqualTo("ACK");
    await().until(() -> branches("cancelled") == cancelled + 1);
  }

  @Test
  void ofTwoDevicesThatAnswerAtOnceTheCallerHearsBoth() throws Exception {
    Phone tablet = phone("bob", "");
    Dialog.call(alice, "bob");
    SipRequest here = bob.request("INVITE");
    SipRequest there = tablet.request("INVITE");
    bob.answer(here, 200);
    tablet.answer(there, 200);

    String one = alice.response("INVITE", 200).to().tag();
    String other = alice.response("INVITE", 200).to().tag();
    assertThat(one).isNotEqualTo(other);
    await().until(() -> calls() == 2);
  }

  @Test
  void aCallerWhoGivesUpStopsTheRinging() throws Exception {
    double given = event("call_cancelled");
    Dialog caller = Dialog.call(alice, "bob");
    SipRequest invite = bob.request("INVITE");
    bob.answer(invite, 180);
    alice.response("INVITE", 180);

    caller.cancel();

    alice.response("CANCEL", 200);
    bob.answer(bob.request("CANCEL"), 200);
    bob.answer(invite, 487);
    bob.request("ACK");
    caller.acknowledge(alice.response("INVITE", 487));
    assertThat(event("call_cancelled")).isEqualTo(given + 1);
  }

  @Test
  void aCancelThatComesBeforeTheFirstAnswerWaitsForIt() throws Exception {
    Dialog caller = Dialog.call(alice, "bob");
    SipRequest invite = bob.request("INVITE");
    caller.cancel();
    alice.response("CANCEL", 200);
    assertThat(bob.any(m -> m.method().equals("CANCEL"))).isEmpty();

    bob.answer(invite, 180);

    bob.answer(bob.request("CANCEL"), 200);
    bob.answer(invite, 487);
    caller.acknowledge(alice.response("INVITE", 487));
  }

  @Test
  void aRefusalIsRepeatedUntilItsAckAndAnInviteThatComesAgainRingsOnce() throws Exception {
    Dialog caller = Dialog.call(alice, "bob");
    SipRequest invite = bob.request("INVITE");
    alice.send(caller.invite);
    bob.answer(invite, 486);
    bob.request("ACK");

    SipResponse busy = alice.response("INVITE", 486);
    await().until(() -> alice.count(busy) > 1);
    caller.acknowledge(busy);
    assertThat(bob.any(m -> m instanceof SipRequest r && r.method().equals("INVITE"))).isEmpty();
  }

  @Test
  void aDeviceThatIsOutOfServiceIsNoOverloadOfTheBridge() throws Exception {
    double refused = refused("device_unavailable");
    Dialog caller = Dialog.call(alice, "bob");
    bob.answer(bob.request("INVITE"), 503);

    SipResponse refusal = alice.response("INVITE", 500);
    assertThat(refusal.warning().orElseThrow()).contains("the user's device");
    assertThat(refused("device_unavailable")).isEqualTo(refused + 1);
    caller.acknowledge(refusal);
  }

  @Test
  void aDeviceOfLowerPreferenceRingsWhenThePreferredOneRefuses() throws Exception {
    Phone tablet = phone("carol", ";q=0.9");
    Phone desk = phone("carol", ";q=0.1");
    Dialog caller = Dialog.call(alice, "carol");
    tablet.answer(tablet.request("INVITE"), 480);
    SipRequest invite = desk.request("INVITE");
    desk.answer(invite, 200);
    caller.accepted(alice.response("INVITE", 200));
  }

  @Test
  void afterARefusalForAllDevicesTheOthersAreCancelled() throws Exception {
    Phone tablet = phone("bob", "");
    Dialog caller = Dialog.call(alice, "bob");
    SipRequest here = bob.request("INVITE");
    SipRequest there = tablet.request("INVITE");
    bob.answer(here, 180);
    tablet.answer(there, 603);

    SipRequest cancel = bob.request("CANCEL");
    bob.answer(cancel, 200);
    bob.answer(here, 487);

    caller.acknowledge(alice.response("INVITE", 603));
  }

  @Test
  void withoutCreditNoCallBeginsButOneThatStandsMayBeEnded() throws Exception {
    Talk talk = talk();
    credit(CreditState.EXHAUSTED);
    try {
      Dialog second = Dialog.call(alice, "bob");
      SipResponse refusal = alice.response("INVITE", 402);
      assertThat(refusal.warning().orElseThrow()).contains("top it up");
      second.acknowledge(refusal);
      assertThat(refused("no_credit")).isPositive();

      talk.caller.send("BYE");
      bob.answer(bob.request("BYE"), 200);
      alice.response("BYE", 200);
    } finally {
      credit(CreditState.SUFFICIENT);
    }
  }

  private static void credit(CreditState state) {
    rig.users.put(rig.users.subscriber("alice").toBuilder().setCredit(state).build());
    await().until(() -> rig.bridge.subscribers().credit("alice").name().equals(state.name()));
  }

  @Test
  void aUserHasAsManyCallsAsConfigured() throws Exception {
    talk();
    Talk second = talk();
    Dialog third = Dialog.call(alice, "bob");
    third.acknowledge(alice.response("INVITE", 403));
    assertThat(refused("too_many_calls")).isPositive();

    second.callee.send("BYE");
    alice.answer(alice.request("BYE"), 200);
    await().until(() -> calls() == 1);
    talk();
  }

  @Test
  void aSessionTimerIsAskedForAndACallThatIsNotRefreshedIsForgotten() throws Exception {
    Dialog caller = Dialog.call(alice, "bob", "Supported", "timer, 100rel");
    SipRequest invite = bob.request("INVITE");
    assertThat(invite.headers().require("Session-Expires")).isEqualTo("1800");
    bob.answer(invite, 200); // bob knows no timers
    SipResponse ok = alice.response("INVITE", 200);
    assertThat(ok.headers().require("Session-Expires")).isEqualTo("1800;refresher=uac");
    assertThat(ok.headers().require("Require")).isEqualTo("timer");
    caller.accepted(ok);

    rig.clock.advance(Duration.ofMinutes(29));
    caller.send("UPDATE", "Supported", "timer", "Session-Expires", "1800;refresher=uac");
    SipRequest update = bob.request("UPDATE");
    assertThat(update.headers().require("Session-Expires")).isEqualTo("1800;refresher=uac");
    bob.answer(update, 200);
    alice.response("UPDATE", 200);
    double expired = event("call_expired");
    rig.clock.advance(Duration.ofMinutes(29));
    assertThat(calls()).isEqualTo(1);
    rig.clock.advance(Duration.ofMinutes(2));
    await().until(() -> calls() == 0);
    assertThat(event("call_expired")).isEqualTo(expired + 1);
  }

  @Test
  void aSessionTimerThatIsTooShortIsRefusedWithTheLeastOne() throws Exception {
    Dialog caller = Dialog.call(alice, "bob", "Supported", "timer", "Session-Expires", "60");
    SipResponse refusal = alice.response("INVITE", 422);
    assertThat(refusal.headers().require("Min-SE")).isEqualTo("90");
    caller.acknowledge(refusal);
  }

  @Test
  void aTransferIsRefusedInWordsAndTheCallGoesOn() throws Exception {
    Talk talk = talk();
    talk.caller.send("REFER", "Refer-To", "<sip:carol@ims.test>");
    assertThat(alice.response("REFER", 403).warning().orElseThrow()).contains("transferred");
    assertThat(refused("transfer_refused")).isPositive();
    talk.caller.send("INFO");
    bob.answer(bob.request("INFO"), 200);
    alice.response("INFO", 200);
  }

  @Test
  void onlyWhoBelongsToACallSendsRequestsInsideIt() throws Exception {
    Talk talk = talk();
    double unknown = refused("unknown_dialog");
    List<String> routes = talk.caller.routes;
    SipRequest foreign = talk.caller.request("BYE");
    for (SipRequest forged :
        List.of(
            Dialog.with(foreign, "Call-ID", "another"),
            Dialog.with(foreign, "From", "<sip:alice@ims.test>;tag=x"),
            Dialog.with(foreign, "Route", routes.getFirst().replaceFirst("sip:.", "sip:_")),
            foreign.withHeaders(foreign.headers().without("Route")))) {
      alice.send(Dialog.with(forged, "Via", alice.via()));
      alice.response("BYE", 481);
    }
    assertThat(refused("unknown_dialog")).isEqualTo(unknown + 4);
    assertThat(calls()).isEqualTo(1);
    Dialog never = Dialog.begin(alice, "bob");
    alice.response("INVITE", 407);
    never.cancel();
    alice.response("CANCEL", 481);
  }

  @Test
  void aRequestThatComesBackIsALoop() throws Exception {
    Dialog.call(alice, "bob");
    SipRequest invite = bob.request("INVITE");
    bob.send(
        new SipRequest(
            "INVITE",
            "sip:bob@ims.test",
            invite.headers().withFirst("Via", bob.via()).without("Record-Route")));
    bob.response("INVITE", 482);
    bob.answer(invite, 486);
  }

  @Test
  void aCallFollowsItsEndsToTheAddressThatTheyRegisterFromNow() throws Exception {
    Talk talk = talk();
    Phone moved = new Phone("bob", rig.bridge.sipPort());
    phones.add(moved);
    // The same contact, which is a name behind a NAT, by another flow.
    moved.register(";+sip.instance=\"<urn:x>\"", 600, bob.contact());

    talk.caller.send("BYE");

    moved.answer(moved.request("BYE"), 200);
    alice.response("BYE", 200);
  }

  @Test
  void anEndDoesNotLearnTheOthersAddressFromTheRecordRoute() throws Exception {
    Dialog caller = Dialog.call(alice, "bob");
    SipRequest invite = bob.request("INVITE");
    Dialog callee = Dialog.of(bob, invite, bob.answer(invite, 200));
    caller.accepted(alice.response("INVITE", 200));
    for (Dialog end : List.of(caller, callee)) {
      String token = NameAddress.parse(end.routes.getFirst()).sipUri().user();
      String octets = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.ISO_8859_1);
      assertThat(octets).doesNotContain("127.0.0.1", "alice");
    }
  }

  @Test
  void aRecordRouteThatWasChangedOrIsOfAnotherDialogIsNone() throws Exception {
    CallRoutes routes = new CallRoutes(new byte[] {1, 2, 3}, "bridge-1");
    SipRequest bye = talk().caller.request("BYE");
    CallRoute route =
        CallRoute.parse("alice\nudp:192.0.2.1:5060\nbob\ntcp:[2001:db8::1]:5061").orElseThrow();
    String token = routes.token(route, bye);
    assertThat(routes.token(route, bye)).as("not the same twice").isNotEqualTo(token);
    byte[] octets = Base64.getUrlDecoder().decode(token);
    for (int i = 0; i < octets.length; i++) {
      byte[] changed = octets.clone();
      changed[i] ^= 1;
      String other = Base64.getUrlEncoder().withoutPadding().encodeToString(changed);
      assertThat(routes.read(Dialog.with(bye, "Route", "<sip:%s@bridge;lr>".formatted(other))))
          .as("octet %d", i)
          .isEmpty();
    }
    SipRequest ours = Dialog.with(bye, "Route", "<sip:%s@bridge;lr>".formatted(token));
    assertThat(routes.read(ours)).isPresent();
    assertThat(routes.read(Dialog.with(ours, "Call-ID", "another"))).isEmpty();
    assertThat(routes.read(Dialog.with(ours, "From", "<sip:alice@ims.test>;tag=another")))
        .isEmpty();
  }

  @Test
  void aCallSurvivesARestartOfTheBridge() throws Exception {
    CallRoute route =
        new CallRoute(
            "alice",
            new io.viaduct.sip.SipFlow(
                io.viaduct.sip.Transport.TCP,
                new java.net.InetSocketAddress(java.net.InetAddress.ofLiteral("::1"), 5060)),
            "bob",
            new io.viaduct.sip.SipFlow(
                io.viaduct.sip.Transport.UDP,
                new java.net.InetSocketAddress(java.net.InetAddress.ofLiteral("192.0.2.1"), 9)));
    byte[] secret = {1, 2, 3};
    SipRequest bye = talk().caller.request("BYE");
    String token = new CallRoutes(secret, "bridge-1").token(route, bye);
    SipRequest inside = Dialog.with(bye, "Route", "<sip:%s@bridge;lr>".formatted(token));

    assertThat(new CallRoutes(secret, "bridge-1").read(inside).orElseThrow().route())
        .isEqualTo(route);
    assertThat(new CallRoutes(new byte[] {3}, "bridge-1").read(inside)).isEmpty();

    // A strict router has put the Route of this hop into the Request-URI.
    SipRequest strict =
        new SipRequest("BYE", "sip:%s@bridge".formatted(token), bye.headers().without("Route"));
    assertThat(
            new CallRoutes(secret, "bridge-1")
                .read(strict.with("Route", "<sip:b@192.0.2.2>"))
                .orElseThrow()
                .request()
                .uri())
        .isEqualTo("sip:b@192.0.2.2");
    assertThat(new CallRoutes(secret, "bridge-1").read(strict.with("Route", "<sip:b"))).isEmpty();
  }
}
