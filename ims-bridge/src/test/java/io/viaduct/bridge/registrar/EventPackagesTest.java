package io.viaduct.bridge.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.usage.v1.AccountDescription;
import io.viaduct.usage.v1.CreditState;
import io.viaduct.usage.v1.TariffInForce;
import java.io.StringReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Subscriptions to `reg` and `viaduct-account` through a real bridge.
@Timeout(120)
class EventPackagesTest {
  private static final String ALICE = "sip:alice@ims.test";
  private static final String EVENTS = "viaduct_bridge_sip_events";

  @TempDir Path directory;
  private BridgeRig rig;
  private final List<Contact> contacts = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    rig = new BridgeRig(directory, BridgeRig.NO_BILLING, "");
    rig.users.descriptions.put(
        "alice",
        AccountDescription.newBuilder()
            .setKnown(true)
            .setBalanceMicrodenarii(12_500_000)
            .setAvailableMicrodenarii(11_200_000)
            .setSpentTodayMicrodenarii(310_000)
            .setThresholdMicrodenarii(5_000_000)
            .setTariff(TariffInForce.newBuilder().setVersion(3).setEffectiveFromMs(7))
            .setNext(TariffInForce.newBuilder().setVersion(4).setEffectiveFromMs(9))
            .build());
  }

  @AfterEach
  void stop() throws Exception {
    contacts.forEach(Contact::close);
    rig.close();
  }

  private Contact contact() throws Exception {
    Contact contact = new Contact(200);
    contacts.add(contact);
    return contact;
  }

  private SipResponse subscribe(Contact by, String user, String uri, String event, String expires)
      throws Exception {
    return by.ask(
        user,
        rig.bridge.sipPort(),
        "SUBSCRIBE",
        uri,
        SipHeaders.NONE
            .with("Event", event)
            .with("Expires", expires)
            .with("Contact", "<sip:%s@127.0.0.1:%d>".formatted(user, by.port())),
        "");
  }

  private static SipRequest notified(Contact contact, int count) {
    await().until(() -> contact.received.size() >= count);
    return contact.received.get(count - 1);
  }

  private static JsonNode json(SipRequest notify) {
    return JsonMapper.shared().readTree(notify.body().text());
  }

  private static Element xml(SipRequest notify) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    return factory
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(notify.body().text())))
        .getDocumentElement();
  }

  @Test
  void aSubscriberOfRegSeesContactsComeAndGo() throws Exception {
    Contact watcher = contact();
    assertThat(subscribe(watcher, "alice", ALICE, "reg;id=7", "600").status()).isEqualTo(200);
    SipRequest first = notified(watcher, 1);
    assertThat(first.headers().require("Event")).isEqualTo("reg;id=7");
    assertThat(first.headers().require("Subscription-State")).startsWith("active;expires=");
    assertThat(first.headers().require("Content-Type")).isEqualTo("application/reginfo+xml");
    assertThat(xml(first).getAttribute("version")).isEqualTo("0");
    assertThat(registration(first).getAttribute("state")).isEqualTo("init");

    Contact phone = contact();
    phone.register("alice", rig.bridge.sipPort(), ";q=0.5;+sip.instance=\"<urn:uuid:1&2>\"");
    SipRequest second = notified(watcher, 2);
    assertThat(xml(second).getAttribute("version")).isEqualTo("1");
    assertThat(registration(second).getAttribute("aor")).isEqualTo(ALICE);
    assertThat(registration(second).getAttribute("state")).isEqualTo("active");
    Element contact = (Element) registration(second).getElementsByTagNameNS("*", "contact").item(0);
    assertThat(contact.getAttribute("q")).isEqualTo("0.500");
    assertThat(contact.getElementsByTagNameNS("*", "uri").item(0).getTextContent())
        .isEqualTo("sip:alice@127.0.0.1:" + phone.port());

    rig.clock.advance(Duration.ofSeconds(601));
    await().until(() -> watcher.received.size() >= 3);
    assertThat(watcher.received.getLast().headers().require("Subscription-State"))
        .isEqualTo("terminated;reason=timeout");
  }

  private static Element element(SipRequest notify, String name, int index) throws Exception {
    return (Element) xml(notify).getElementsByTagNameNS("*", name).item(index);
  }

  private SipResponse register(Contact phone, int regId, String expires) throws Exception {
    String parameters = ";+sip.instance=\"<urn:uuid:1>\"" + (regId == 0 ? "" : ";reg-id=" + regId);
    return phone.ask(
        "alice",
        rig.bridge.sipPort(),
        "REGISTER",
        "sip:ims.test",
        ALICE,
        SipHeaders.NONE
            .with("Supported", "outbound, gruu")
            .with("Expires", expires)
            .with("Contact", "<sip:alice@device.invalid>" + parameters),
        "");
  }

  @Test
  void aContactThatHasEndedIsToldOnceWithItsReason() throws Exception {
    Contact phone = contact();
    assertThat(register(phone, 0, "120").status()).isEqualTo(200);
    Contact watcher = contact();
    assertThat(subscribe(watcher, "alice", ALICE, "reg", "600").status()).isEqualTo(200);
    Element first = element(notified(watcher, 1), "contact", 0);
    assertThat(first.getAttribute("event")).isEqualTo("registered");
    assertThat(
            ((Element) first.getElementsByTagNameNS("*", "pub-gruu").item(0)).getAttribute("uri"))
        .isEqualTo("sip:alice@ims.test;gr=urn:uuid:1");

    assertThat(register(phone, 0, "300").status()).isEqualTo(200);
    Element second = element(notified(watcher, 2), "contact", 0);
    assertThat(second.getAttribute("event")).isEqualTo("refreshed");
    assertThat(second.getAttribute("id")).isEqualTo(first.getAttribute("id"));

    assertThat(register(phone, 0, "0").status()).isEqualTo(200);
    SipRequest third = notified(watcher, 3);
    assertThat(registration(third).getAttribute("state")).isEqualTo("terminated");
    assertThat(element(third, "contact", 0).getAttribute("state")).isEqualTo("terminated");
    assertThat(element(third, "contact", 0).getAttribute("event")).isEqualTo("unregistered");

    assertThat(register(phone, 0, "60").status()).isEqualTo(200);
    assertThat(xml(notified(watcher, 4)).getElementsByTagNameNS("*", "contact").getLength())
        .isEqualTo(1);
    rig.clock.advance(Duration.ofSeconds(61));
    assertThat(element(notified(watcher, 5), "contact", 0).getAttribute("event"))
        .isEqualTo("expired");
  }

  @Test
  void twoFlowsOfOneUriAreTwoContactsOfEachAddress() throws Exception {
    rig.users.put(rig.users.subscriber("alice").toBuilder().addAddresses("+41791234567").build());
    await().until(() -> rig.bridge.subscribers().owner("+41791234567").equals("alice"));
    assertThat(register(contact(), 1, "600").status()).isEqualTo(200);
    assertThat(register(contact(), 2, "600").status()).isEqualTo(200);
    Contact watcher = contact();
    assertThat(subscribe(watcher, "alice", ALICE, "reg", "600").status()).isEqualTo(200);
    SipRequest notify = notified(watcher, 1);
    assertThat(element(notify, "registration", 0).getAttribute("aor")).isEqualTo(ALICE);
    assertThat(element(notify, "registration", 1).getAttribute("aor"))
        .isEqualTo("sip:+41791234567@ims.test");
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < 4; i++) {
      ids.add(element(notify, "contact", i).getAttribute("id"));
    }
    assertThat(ids).hasSize(4);
  }

  private static Element registration(SipRequest notify) throws Exception {
    return (Element) xml(notify).getElementsByTagNameNS("*", "registration").item(0);
  }

  @Test
  void aNotifyThatTheBridgeIsTooBusyToSendIsSentWhenItIsNot() throws Exception {
    rig.close();
    rig =
        new BridgeRig(
            directory.resolve("busy"),
            BridgeRig.NO_BILLING,
            text -> text.replace("contacts: 2}", "contacts: 2, pending: 1}"));
    Contact silent = new Contact(0);
    contacts.add(silent);
    assertThat(subscribe(silent, "alice", ALICE, "reg", "600").status()).isEqualTo(200);
    notified(silent, 1); // the bridge waits for its answer, and sends nothing else
    Contact watcher = contact();
    assertThat(subscribe(watcher, "alice", ALICE, "reg", "600").status()).isEqualTo(200);
    await().until(() -> rig.counter(EVENTS, "event", "notify_failed") > 0);
    assertThat(watcher.received).isEmpty();
    silent.answerLate(200);
    assertThat(notified(watcher, 1).headers().require("Subscription-State"))
        .startsWith("active;expires=");
  }

  @Test
  void aSubscriberOfTheAccountIsToldBalanceTariffAndCreditAndEachChange() throws Exception {
    Contact watcher = contact();
    assertThat(subscribe(watcher, "alice", ALICE, "viaduct-account", "600").status())
        .isEqualTo(200);
    JsonNode first = json(notified(watcher, 1));
    assertThat(first.path("billing").asString()).isEqualTo("current");
    assertThat(first.path("credit").asString()).isEqualTo("SUFFICIENT");
    assertThat(first.path("low").asBoolean()).isFalse();
    assertThat(first.path("amounts").path("balanceMicrodenarii").asString()).isEqualTo("12500000");
    assertThat(first.path("amounts").path("spentTodayMicrodenarii").asString()).isEqualTo("310000");
    assertThat(first.path("tariff").path("version").asInt()).isEqualTo(3);
    assertThat(first.path("next").path("from").asLong()).isEqualTo(9);

    rig.users.descriptions.computeIfPresent(
        "alice", (_, old) -> old.toBuilder().setCredit(CreditState.LOW).build());
    rig.users.put(rig.users.subscriber("alice").toBuilder().setCredit(CreditState.LOW).build());
    JsonNode second = json(notified(watcher, 2));
    assertThat(second.path("version").asInt()).isEqualTo(1);
    assertThat(second.path("low").asBoolean()).isTrue();

    rig.users.isSilent = true;
    rig.clock.advance(Duration.ofMinutes(1));
    JsonNode third = json(notified(watcher, 3));
    assertThat(third.path("billing").asString()).isEqualTo("away");
    assertThat(third.has("amounts")).isFalse();
    assertThat(third.path("credit").asString()).isEqualTo("LOW");
  }

  @Test
  void aFetchIsOneNotifyWithTheStateThatEndsTheSubscription() throws Exception {
    Contact watcher = contact();
    assertThat(subscribe(watcher, "alice", ALICE, "reg", "0").status()).isEqualTo(200);
    SipRequest only = notified(watcher, 1);
    assertThat(only.headers().require("Subscription-State")).isEqualTo("terminated;reason=timeout");
    assertThat(only.body().text()).contains("<reginfo");
  }

  @Test
  void nobodySubscribesToAnotherUserAndASuspendedUsersSubscriptionEnds() throws Exception {
    Contact bob = contact();
    assertThat(subscribe(bob, "bob", ALICE, "reg", "600").status()).isEqualTo(403);
    assertThat(subscribe(bob, "bob", "sip:bob@ims.test", "presence", "600").status())
        .isEqualTo(489);
    assertThat(subscribe(bob, "bob", "sip:bob@ims.test", "reg", "1").status()).isEqualTo(423);
    bob.register("bob", rig.bridge.sipPort(), "");
    assertThat(subscribe(bob, "bob", "sip:bob@ims.test", "reg", "600").status()).isEqualTo(200);
    var _ = notified(bob, 1);
    rig.users.suspend("bob", true);
    assertThat(notified(bob, 2).headers().require("Subscription-State"))
        .isEqualTo("terminated;reason=rejected");
    assertThat(element(notified(bob, 2), "contact", 0).getAttribute("event")).isEqualTo("rejected");
  }
}
