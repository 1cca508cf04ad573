package io.viaduct.bridge.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.ClusterRig;
import io.viaduct.bridge.ProvisioningStub;
import io.viaduct.bridge.RunningBridge;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.sip.useragent.InstantMessage;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.sip.useragent.UserAgentSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Three bridges of one domain: what one knows the others know, and each reaches the users of all.
@Timeout(180)
class BridgesTest {
  private static final String DEVICE =
      "{\"deviceKey\":\"%s\"}"
          .formatted(Base64.getUrlEncoder().withoutPadding().encodeToString(new byte[32]));

  @TempDir static Path directory;
  private static ClusterRig cluster;

  private final List<AutoCloseable> open = new ArrayList<>();

  @BeforeAll
  static void start() throws Exception {
    cluster = new ClusterRig(directory, "");
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
    await().until(() -> cluster.bridges.stream().allMatch(each -> registered(each) == 0));
  }

  private static int port(int bridge) {
    return cluster.bridges.get(bridge).sipPort();
  }

  private Phone phone(String user, int bridge) throws Exception {
    Phone phone = new Phone(user, port(bridge));
    open.add(phone);
    phone.register("", 600);
    return phone;
  }

  private static int registered(RunningBridge bridge) {
    return bridge.locations().all(cluster.rig.clock.instant()).size();
  }

  private static double calls(int bridge) {
    return cluster.bridges.get(bridge).registry().get("viaduct_bridge_calls").gauge().value();
  }

  private static double passed(int bridge, String way) {
    return ClusterRig.counter(
        cluster.bridges.get(bridge), "viaduct_bridge_passed_requests", "way", way);
  }

  private static double replayed(int bridge) {
    return ClusterRig.counter(
        cluster.bridges.get(bridge), "viaduct_bridge_digest_refused", "reason", "replayed");
  }

  /// A call from alice at one bridge to bob at another.
  private record Talk(Dialog caller, Dialog callee) {}

  private static Talk talk(Phone alice, Phone bob) throws Exception {
    Dialog caller = Dialog.call(alice, "bob");
    SipRequest invite = bob.request("INVITE");
    bob.answer(invite, 180);
    alice.response("INVITE", 180);
    Dialog callee = Dialog.of(bob, invite, bob.answer(invite, 200));
    caller.accepted(alice.response("INVITE", 200));
    bob.request("ACK");
    return new Talk(caller, callee);
  }

  @Test
  void aRegistrationAndItsEndAreKnownAtAllBridges() throws Exception {
    Phone alice = phone("alice", 0);
    assertThat(cluster.bridges).allSatisfy(bridge -> await().until(() -> registered(bridge) == 1));
    alice.use(port(1));
    alice.register("", 600);
    assertThat(cluster.bridges.get(1).locations().all(cluster.rig.clock.instant()))
        .singleElement()
        .satisfies(binding -> assertThat(binding.flow().owner()).isEmpty());
    await()
        .until(() ->
            cluster.bridges.get(0).locations().all(cluster.rig.clock.instant()).stream()
                .allMatch(binding -> binding.flow().owner().equals("bridge-2")));
    alice.use(port(2));
    alice.register("", 0);
    assertThat(cluster.bridges).allSatisfy(bridge -> await().until(() -> registered(bridge) == 0));
  }

  @Test
  void aCallToAUserOfAnotherBridgeGoesByThatBridgeAndBothKnowItsEnd() throws Exception {
    Phone alice = phone("alice", 0);
    Phone bob = phone("bob", 1);
    double before = passed(0, "owner");
    Talk talk = talk(alice, bob);
    assertThat(passed(0, "owner")).isGreaterThanOrEqualTo(before + 2);
    assertThat(cluster.bridges)
        .allSatisfy(bridge -> await().until(() -> calls(cluster.bridges.indexOf(bridge)) == 1));
    assertThat(talk.callee.routes).singleElement().asString().contains(":" + port(1));

    talk.caller.send("UPDATE");
    bob.answer(bob.request("UPDATE"), 200);
    alice.response("UPDATE", 200);
    talk.callee.send("BYE");
    alice.answer(alice.request("BYE"), 200);
    bob.response("BYE", 200);
    assertThat(cluster.bridges)
        .allSatisfy(bridge -> await().until(() -> calls(cluster.bridges.indexOf(bridge)) == 0));
  }

  @Test
  void aCallThatItsCallerGivesUpStopsRingingAtTheOtherBridge() throws Exception {
    Phone alice = phone("alice", 2);
    Phone bob = phone("bob", 1);
    Dialog caller = Dialog.call(alice, "bob");
    SipRequest invite = bob.request("INVITE");
    bob.answer(invite, 180);
    alice.response("INVITE", 180);
    caller.cancel();
    bob.answer(bob.request("CANCEL"), 200);
    bob.answer(invite, 487);
    caller.acknowledge(alice.response("INVITE", 487));
  }

  @Test
  void aNonceOfOneBridgeIsGoodAtAnotherAndEachCountOnce() throws Exception {
    Phone alice = new Phone("alice", port(0));
    open.add(alice);
    SipRequest register =
        new SipRequest(
            "REGISTER",
            "sip:ims.test",
            SipHeaders.NONE
                .with("Via", alice.via())
                .with("Max-Forwards", "70")
                .with("User-Agent", "viaduct")
                .with("From", "<sip:alice@ims.test>;tag=r")
                .with("To", "<sip:alice@ims.test>")
                .with("Call-ID", SipEndpoint.token())
                .with("CSeq", "1 REGISTER")
                .with("Contact", "<" + alice.contact() + ">")
                .with("Expires", "600"));
    alice.send(register);
    SipResponse challenge = alice.response("REGISTER", 401);
    alice.use(port(1));
    SipRequest authorized = alice.sendWithCredentials(register, challenge);
    alice.response("REGISTER", 200);
    double before = replayed(2);
    alice.use(port(2));
    alice.send(
        authorized.withHeaders(
            authorized.headers().replaceFirst("Via", alice.via()).replace("CSeq", "9 REGISTER")));
    assertThat(alice.response("REGISTER", 401).headers().require("WWW-Authenticate"))
        .contains("stale=true");
    assertThat(replayed(2)).isEqualTo(before + 1);
  }

  @ParameterizedTest
  @CsvSource({
    "reg, alice, viaduct_bridge_event_subscriptions, registration",
    "snapt-session, snapt, viaduct_bridge_subscriptions, token"
  })
  void aSubscriptionIsRefreshedAtAnotherBridge(
      String event, String resource, String gauge, String told) throws Exception {
    Phone alice = phone("alice", 0);
    String callId = SipEndpoint.token();
    String uri = "sip:" + resource + "@ims.test";
    SipRequest first = subscribe(alice, event, uri, callId, "<" + uri + ">", 1);
    alice.send(first);
    alice.sendWithCredentials(first, alice.response("SUBSCRIBE", 401));
    SipResponse ok = alice.response("SUBSCRIBE", 200);
    SipRequest notify = alice.request("NOTIFY");
    assertThat(notify.body().text()).contains(told);
    alice.answer(notify, 200);

    await().until(() -> cluster.bridges.get(2).registry().get(gauge).gauge().value() == 1);
    alice.use(port(2));
    SipRequest again = subscribe(alice, event, uri, callId, ok.headers().require("To"), 11);
    alice.send(again);
    alice.sendWithCredentials(again, alice.response("SUBSCRIBE", 401));
    alice.response("SUBSCRIBE", 200);
    SipRequest next = alice.request("NOTIFY");
    assertThat(next.cseq().number()).isGreaterThan(notify.cseq().number());
    assertThat(next.body().text()).contains(told);
    alice.answer(next, 200);
    assertThat(cluster.bridges.get(2).tokens().publicKeys())
        .as("a token of one is good with the keys of the other")
        .isEqualTo(cluster.bridges.get(0).tokens().publicKeys());

    SipRequest last = subscribe(alice, event, uri, callId, ok.headers().require("To"), 21);
    SipRequest end = last.withHeaders(last.headers().replace("Expires", "0"));
    alice.send(end);
    alice.sendWithCredentials(end, alice.response("SUBSCRIBE", 401));
    await()
        .until(() ->
            cluster.bridges.stream()
                .allMatch(each -> each.registry().get(gauge).gauge().value() == 0));
  }

  private static SipRequest subscribe(
      Phone alice, String event, String uri, String callId, String to, int cseq) {
    return new SipRequest(
            "SUBSCRIBE",
            uri,
            SipHeaders.NONE
                .with("Via", alice.via())
                .with("Max-Forwards", "70")
                .with("User-Agent", "viaduct")
                .with("From", "<sip:alice@ims.test>;tag=s")
                .with("To", to)
                .with("Call-ID", callId)
                .with("CSeq", cseq + " SUBSCRIBE")
                .with("Contact", "<" + alice.contact() + ">")
                .with("Event", event)
                .with("Expires", "600"))
        .withBody("application/json", SipBody.of(DEVICE));
  }

  private UserAgent agent(String user, int bridge, Transport transport, List<String> texts)
      throws Exception {
    UserAgent agent =
        UserAgent.start(
            UserAgentSettings.of(
                "ims.test",
                user,
                user + "-secret",
                new HostPort("127.0.0.1", port(bridge)),
                transport,
                SipEndpointSettings.client(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))),
            cluster.rig.clock,
            new UserAgentListener() {
              @Override
              public void onMessage(InstantMessage message) {
                texts.add(message.text());
              }
            });
    open.add(() -> {
      agent.deregister().get(10, TimeUnit.SECONDS);
      agent.close();
    });
    agent.register();
    await().until(() -> agent.state().isRegistered());
    return agent;
  }

  @Test
  void aMessageReachesTheTcpConnectionThatAnotherBridgeHas() throws Exception {
    List<String> texts = new CopyOnWriteArrayList<>();
    agent("bob", 1, Transport.TCP, texts);
    UserAgent alice = agent("alice", 2, Transport.UDP, new ArrayList<>());
    await().until(() -> registered(cluster.bridges.get(2)) == 2);
    assertThat(
            alice
                .sendMessage("bob", "text/plain", "by bridge 2")
                .get(20, TimeUnit.SECONDS)
                .status())
        .isEqualTo(200);
    assertThat(texts).containsExactly("by bridge 2");
  }

  @Test
  void aBridgeThatDiesUnderLoadTakesNoRegistrationAndNoCallWithIt() throws Exception {
    Phone alice = phone("alice", 0);
    Phone bob = phone("bob", 1);
    Talk talk = talk(alice, bob);
    List<Phone> users = new ArrayList<>();
    List<Phone> ofTheDead = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      String user = "user-" + i;
      cluster.rig.users.put(ProvisioningStub.user(user, "ims.test", user + "-secret"));
      await()
          .until(
              () -> cluster.bridges.stream().allMatch(each -> each.subscribers().contains(user)));
      Phone phone = phone(user, i % ClusterRig.BRIDGES);
      users.add(phone);
      if (i % ClusterRig.BRIDGES == 1) {
        ofTheDead.add(phone);
      }
    }
    AtomicBoolean ends = new AtomicBoolean();
    AtomicInteger done = new AtomicInteger();
    List<Thread> load = new ArrayList<>();
    for (Phone user : users) {
      if (ofTheDead.contains(user)) {
        continue; // its bridge will not answer
      }
      load.add(
          Thread.ofVirtual()
              .start(() -> {
                try {
                  while (!ends.get()) {
                    user.register("", 600);
                    done.incrementAndGet();
                  }
                } catch (Exception e) {
                  done.set(Integer.MIN_VALUE);
                }
              }));
    }
    await().until(() -> done.get() > 20);
    cluster.kill(1);
    int then = done.get();
    await().until(() -> done.get() > then + 20 || done.get() < 0);
    ends.set(true);
    for (Thread each : load) {
      each.join();
    }
    assertThat(done.get()).as("no registration failed").isPositive();
    for (int i : new int[] {0, 2}) {
      assertThat(registered(cluster.bridges.get(i))).isEqualTo(2 + users.size());
    }

    bob.use(port(0)); // responses go where the request came from
    talk.caller.send("INVITE"); // by bridge 1, directly to bob
    bob.answer(bob.request("INVITE"), 200);
    talk.caller.accepted(alice.response("INVITE", 200));
    bob.request("ACK");
    assertThat(passed(0, "direct")).isPositive();
    bob.use(port(2));
    talk.callee.send("BYE");
    alice.answer(alice.request("BYE"), 200);
    bob.response("BYE", 200);
    await().until(() -> calls(0) == 0 && calls(2) == 0);

    for (Phone user : ofTheDead) {
      user.use(port(2));
      user.register("", 600);
    }
    bob.register("", 600);
    cluster.restart(1);
    await().until(() -> registered(cluster.bridges.get(1)) == 2 + users.size());
  }
}
