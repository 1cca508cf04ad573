package io.viaduct.bridge.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Outbound (RFC 5626), Path (RFC 3327) and GRUU (RFC 5627) through a real bridge.
@Timeout(120)
class OutboundTest {
  private static final String ALICE = "sip:alice@ims.test";
  private static final String PHONE = "<urn:uuid:00000000-0000-1000-8000-000A95A0E128>";
  private static final String OTHER = "<urn:uuid:00000000-0000-1000-8000-000A95A0E129>";
  private static final SipHeaders ALL = SipHeaders.NONE.with("Supported", "path, outbound, gruu");

  @TempDir Path directory;
  private BridgeRig rig;
  private final List<Contact> contacts = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    rig =
        new BridgeRig(
            directory, BridgeRig.NO_BILLING, text -> text.replace("contacts: 2", "contacts: 4"));
  }

  @AfterEach
  void stop() throws Exception {
    contacts.forEach(Contact::close);
    rig.close();
  }

  private Contact contact(int status) throws Exception {
    Contact contact = new Contact(status);
    contacts.add(contact);
    return contact;
  }

  private SipResponse register(Contact by, String parameters, SipHeaders more) throws Exception {
    return by.ask(
        "alice",
        rig.bridge.sipPort(),
        "REGISTER",
        "sip:ims.test",
        ALICE,
        more.with("Contact", "<sip:alice@127.0.0.1:%d>%s".formatted(by.port(), parameters)),
        "");
  }

  private static String flow(String instance, int regId) {
    return ";+sip.instance=\"" + instance + "\";reg-id=" + regId;
  }

  private SipResponse say(String uri) throws Exception {
    return contact(200).ask("bob", rig.bridge.sipPort(), "MESSAGE", uri, SipHeaders.NONE, "hello");
  }

  private int bindings() {
    return rig.bridge.locations().bindings("alice", rig.clock.instant()).size();
  }

  private static Map<String, String> parameters(SipResponse registered, String instance) {
    return registered.headers().values("Contact").stream()
        .map(value -> NameAddress.parse(value).parameters())
        .filter(each -> instance.equals(each.get("+sip.instance")))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aMessageGoesToTheLatestFlowOfAnInstanceAndToTheNextIfThatHasFailed() throws Exception {
    Contact first = contact(200);
    SipResponse registered = register(first, flow(PHONE, 1), ALL);
    assertThat(registered.status()).isEqualTo(200);
    assertThat(registered.headers().require("Require")).isEqualTo("outbound");
    assertThat(registered.headers().require("Flow-Timer")).isEqualTo("120");
    assertThat(parameters(registered, PHONE)).containsEntry("reg-id", "1");
    Contact second = contact(430);
    rig.clock.advance(Duration.ofSeconds(1));
    assertThat(register(second, flow(PHONE, 2), ALL).status()).isEqualTo(200);
    assertThat(bindings()).isEqualTo(2);

    assertThat(say(ALICE).status()).isEqualTo(200);
    assertThat(second.received).hasSize(1);
    assertThat(first.received).hasSize(1);
    assertThat(bindings()).as("the failed flow is removed").isEqualTo(1);
    assertThat(say(ALICE).status()).isEqualTo(200);
    assertThat(second.received).hasSize(1);
  }

  @Test
  void aNewRegistrationOfAFlowReplacesItAndOneWithoutANumberReplacesAll() throws Exception {
    register(contact(200), flow(PHONE, 1), ALL);
    register(contact(200), flow(PHONE, 2), ALL);
    register(contact(200), flow(PHONE, 1), ALL);
    assertThat(bindings()).isEqualTo(2);
    register(contact(200), ";+sip.instance=\"" + PHONE + "\"", SipHeaders.NONE);
    assertThat(bindings()).isEqualTo(1);
  }

  @Test
  void aFlowThroughAProxyNeedsOneThatKeepsFlowsAndRequestsTakeItsPathBack() throws Exception {
    SipHeaders proxied = ALL.with("Via", "SIP/2.0/UDP 192.0.2.9;branch=z9hG4bKphone");
    Contact proxy = contact(200);
    SipResponse refused =
        register(proxy, flow(PHONE, 1), proxied.with("Path", "<sip:edge.test;lr>"));
    assertThat(refused.status()).isEqualTo(439);
    assertThat(refused.reason()).isEqualTo("First Hop Lacks Outbound Support");
    SipResponse taken =
        register(proxy, flow(PHONE, 1), proxied.with("Path", "<sip:token@edge.test;lr;ob>"));
    assertThat(taken.status()).isEqualTo(200);
    assertThat(taken.headers().values("Path")).containsExactly("<sip:token@edge.test;lr;ob>");
    assertThat(say(ALICE).status()).isEqualTo(200);
    SipRequest message = proxy.received.getLast();
    assertThat(message.headers().values("Route")).containsExactly("<sip:token@edge.test;lr;ob>");
  }

  @Test
  void aGruuReachesItsUserAgentOnly() throws Exception {
    Contact phone = contact(200);
    SipResponse registered = register(phone, ";+sip.instance=\"" + PHONE + "\"", ALL);
    Contact other = contact(200);
    register(other, ";+sip.instance=\"" + OTHER + "\"", ALL);
    String open = parameters(registered, PHONE).get("pub-gruu");
    String hidden = parameters(registered, PHONE).get("temp-gruu");
    assertThat(open)
        .isEqualTo("sip:alice@ims.test;gr=urn:uuid:00000000-0000-1000-8000-000A95A0E128");
    assertThat(hidden).startsWith("sip:tgruu.").endsWith("@ims.test;gr").doesNotContain("alice");
    assertThat(say(open).status()).isEqualTo(200);
    assertThat(say(hidden).status()).isEqualTo(200);
    assertThat(phone.received).hasSize(2);
    assertThat(other.received).isEmpty();

    // Another Call-ID is another registration: the public GRUU stays, the temporary one ends.
    assertThat(register(phone, ";+sip.instance=\"" + PHONE + "\"", ALL).status()).isEqualTo(200);
    assertThat(say(open).status()).isEqualTo(200);
    assertThat(say(hidden).status()).isEqualTo(480);
    assertThat(say("sip:alice@ims.test;gr=urn:uuid:none").status()).isEqualTo(480);
    assertThat(say("sip:tgruu.AAAA@ims.test;gr").status()).isEqualTo(404);
  }

  @Test
  void aFurtherAddressNamesItsUserInEachRole() throws Exception {
    rig.users.put(rig.users.subscriber("alice").toBuilder().addAddresses("+41791234567").build());
    String number = "sip:+41791234567@ims.test";
    Contact phone = contact(200);
    await().until(() -> rig.bridge.subscribers().owner("+41791234567").equals("alice"));
    SipResponse registered =
        phone.ask(
            "alice",
            rig.bridge.sipPort(),
            "REGISTER",
            "sip:ims.test",
            number,
            SipHeaders.NONE.with("Contact", "<sip:alice@127.0.0.1:%d>".formatted(phone.port())),
            "");
    assertThat(registered.status()).isEqualTo(200);
    assertThat(registered.headers().values("P-Associated-URI"))
        .containsExactly("<sip:alice@ims.test>", "<" + number + ">");
    assertThat(say(number).status()).isEqualTo(200);
    assertThat(phone.received).hasSize(1);
    assertThat(say("sip:%61lice@ims.test").status()).as("escaped without need").isEqualTo(200);
    rig.users.put(rig.users.subscriber("alice").toBuilder().clearAddresses().build());
    await().until(() -> rig.bridge.subscribers().owner("+41791234567").equals("+41791234567"));
    assertThat(say(number).status()).isEqualTo(404);
  }

  @Test
  void twoFlowsInOneRegisterAreRefusedAndANumberWithoutAnInstanceIsIgnored() throws Exception {
    Contact phone = contact(200);
    SipHeaders second = ALL.with("Contact", "<sip:alice@127.0.0.1:9>" + flow(OTHER, 1));
    assertThat(register(phone, flow(PHONE, 1), second).status()).isEqualTo(400);
    SipResponse plain = register(phone, ";reg-id=1", ALL);
    assertThat(plain.status()).isEqualTo(200);
    assertThat(plain.headers().first("Require")).isEmpty();
    await().until(() -> bindings() == 1);
  }
}
