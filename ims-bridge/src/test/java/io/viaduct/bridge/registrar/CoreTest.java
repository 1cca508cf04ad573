package io.viaduct.bridge.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.bridge.BridgeRig;
import io.viaduct.bridge.ProvisioningStub;
import io.viaduct.bridge.core.ChargingAddresses;
import io.viaduct.bridge.core.ChargingVector;
import io.viaduct.bridge.core.CoreRegistration;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.useragent.SessionGrant;
import io.viaduct.usage.ChargingFunction;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The bridge as an application server of an IMS core, over real sockets. The core has two servers:
/// one sends over UDP from an address of its own, one over TCP from 127.0.0.1.
@Timeout(120)
class CoreTest {
  private static final String SESSIONS = "sip:snapt@ims.test";
  private static final String KEY = "{\"deviceKey\":\"" + "A".repeat(43) + "\"}";
  private static final String VECTOR =
      "icid-value=\"Ay+6=02\";icid-generated-at=192.0.2.8;orig-ioi=home1.net";
  private static final String FUNCTIONS =
      "ccf=\"aaa://cdf.ims.test:3868;transport=tcp\";ecf=192.0.2.3;ecf=192.0.2.4";

  @TempDir static Path directory;
  private static BridgeRig rig;
  private static Scscf udp;
  private static Scscf tcp;
  private static String address;
  private static int users;
  private String user;

  @BeforeAll
  static void start() throws Exception {
    SplittableRandom random = new SplittableRandom();
    address = "127.%d.%d.2".formatted(random.nextInt(1, 255), random.nextInt(256));
    udp = new Scscf(address, Transport.UDP);
    tcp = new Scscf("127.0.0.1", Transport.TCP);
    rig =
        new BridgeRig(
            directory,
            BridgeRig.NO_BILLING,
            """
            core:
              identity: sip:viaduct@ims.test
              peers:
                - {address: %s, port: %d, transport: udp}
                - {address: 127.0.0.1, port: %d, transport: tcp}
            """
                .formatted(address, udp.port(), tcp.port()));
    udp.towards(rig.bridge.sipPort());
    tcp.towards(rig.bridge.sipPort());
  }

  @AfterAll
  static void stop() throws Exception {
    udp.close();
    tcp.close();
    rig.close();
  }

  /// Each test has a user of its own.
  @BeforeEach
  void user() {
    user = "user" + ++users;
    rig.users.put(ProvisioningStub.user(user, user + "-secret"));
    await().until(() -> rig.bridge.subscribers().contains(user));
    udp.received.clear();
    tcp.received.clear();
  }

  private String identity() {
    return "sip:" + user + "@ims.test";
  }

  private List<Binding> bindings() {
    return rig.bridge.locations().bindings(user, rig.clock.instant());
  }

  private double count(String name, String label, String value) {
    return rig.counter("viaduct_bridge_" + name, label, value);
  }

  private SipRequest subscribe(String... more) {
    return Scscf.request("SUBSCRIBE", SESSIONS, user, more)
        .with("Event", "snapt-session")
        .withBody("application/json", SipBody.of(KEY));
  }

  private static SipRequest notified(Scscf scscf) {
    await().until(() -> !scscf.received.isEmpty());
    return scscf.received.removeFirst();
  }

  private static SessionToken token(SipRequest notify) throws Exception {
    SessionGrant grant = SessionGrant.parse(notify.body().text());
    SessionToken token =
        SessionToken.parseFrom(
            SignedSessionToken.parseFrom(Base64.getUrlDecoder().decode(grant.token())).getToken());
    assertThat(token.getIcid()).isEqualTo(grant.icid());
    return token;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aThirdPartyRegisterRegistersTheUserWithWhatTheCoreSays(boolean overTcp) throws Exception {
    Scscf scscf = overTcp ? tcp : udp;
    SipResponse answer =
        scscf.register(
            identity(),
            720,
            "P-Charging-Vector",
            VECTOR,
            "P-Charging-Function-Addresses",
            FUNCTIONS);

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.headers().first("Contact")).hasValue("<sip:scscf.ims.test>;expires=720");
    assertThat(answer.headers().all("Service-Route")).isEmpty();
    assertThat(bindings())
        .singleElement()
        .satisfies(binding -> {
          assertThat(binding.contact()).isEqualTo(identity());
          assertThat(binding.flow().remote().getPort()).isEqualTo(scscf.port());
          CoreRegistration core = binding.core().orElseThrow();
          assertThat(core.vector()).hasValue(new ChargingVector("Ay+6=02", "192.0.2.8"));
          assertThat(core.addresses())
              .isEqualTo(
                  new ChargingAddresses(
                      List.of("aaa://cdf.ims.test:3868;transport=tcp"),
                      List.of("192.0.2.3", "192.0.2.4")));
        });
  }

  @Test
  void aRefreshWithANewCallIdReplacesAndExpiresZeroEndsTheRegistration() throws Exception {
    double ended = count("sip_events", "event", "core_deregistered");
    udp.register(identity(), 600);
    rig.clock.advance(Duration.ofSeconds(10));
    udp.register(identity(), 720);
    assertThat(bindings())
        .singleElement()
        .satisfies(binding ->
            assertThat(binding.expires()).isEqualTo(rig.clock.instant().plusSeconds(720)));

    assertThat(udp.register(identity(), 0).status()).isEqualTo(200);
    assertThat(bindings()).isEmpty();
    assertThat(count("sip_events", "event", "core_deregistered")).isEqualTo(ended + 1);
    assertThat(udp.register(identity(), 0).status()).as("once more").isEqualTo(200);
  }

  @Test
  void aRegistrationThatTheCoreDoesNotRefreshExpires() throws Exception {
    udp.register(identity(), 720);
    rig.clock.advance(Duration.ofSeconds(721));
    assertThat(bindings()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"sip:nobody@ims.test", "sip:alice@elsewhere.test", "tel:+390612345"})
  void aUserWhomBillingDoesNotKnowIsRefusedInWords(String unknown) throws Exception {
    SipResponse answer = udp.register(unknown, 720);
    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.warning().orElse("")).contains("no account of this service");
  }

  @Test
  void aSuspendedUserIsRefused() throws Exception {
    rig.users.suspend(user, true);
    await().until(() -> !rig.bridge.subscribers().isActive(user));
    assertThat(udp.register(identity(), 720).status()).isEqualTo(403);
    assertThat(bindings()).isEmpty();
  }

  /// The same addresses by the other transport are nobody's.
  @Test
  void aThirdPartyRegisterOfSomebodyElseIsChallengedAsAnyOther() throws Exception {
    SipRequest forged =
        new SipRequest("REGISTER", "sip:ims.test", Scscf.thirdParty(identity(), 720).headers());
    try (Scscf stranger = new Scscf("127.0.0.1", Transport.UDP)) {
      stranger.towards(rig.bridge.sipPort());
      assertThat(stranger.send(forged).status()).isEqualTo(401);
    }
    assertThat(overTcp(forged)).startsWith("SIP/2.0 401 ");
    assertThat(bindings()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '^',
      delimiter = '|',
      textBlock =
          """
          P-Asserted-Identity           | p_asserted_identity           | <sip:alice@ims.test>
          P-Served-User                 | p_served_user                 | <sip:alice@ims.test>;sescase=orig
          P-Charging-Vector             | p_charging_vector             | icid-value=forged
          P-Charging-Function-Addresses | p_charging_function_addresses | ccf=forged
          """)
  void aHeaderOfTheCoreFromAStrangerIsRemovedAndAuthenticatesNobody(
      String name, String label, String value) throws Exception {
    double before = count("core_headers_removed", "header", label);
    try (Scscf stranger = new Scscf("127.0.0.1", Transport.UDP)) {
      stranger.towards(rig.bridge.sipPort());
      SipRequest message = Scscf.request("MESSAGE", "sip:balance@ims.test", "alice", name, value);
      assertThat(stranger.send(message).status()).isEqualTo(401);
      assertThat(
              stranger
                  .send(Scscf.request("MESSAGE", "sip:bob@ims.test", "alice", name, value))
                  .status())
          .isEqualTo(407);
      assertThat(overTcp(message)).startsWith("SIP/2.0 401 ");
    }
    assertThat(count("core_headers_removed", "header", label)).isEqualTo(before + 3);
  }

  /// Sends from the address of the server that is a peer over UDP only.
  private String overTcp(SipRequest request) throws Exception {
    try (Socket socket = new Socket()) {
      socket.bind(new InetSocketAddress(InetAddress.ofLiteral(address), 0));
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), rig.bridge.sipPort()));
      socket.setSoTimeout(20_000);
      SipRequest whole =
          request.withHeaders(
              request.headers().withFirst("Via", "SIP/2.0/TCP 192.0.2.1;branch=z9hG4bKforged"));
      socket.getOutputStream().write(whole.encode());
      byte[] answer = new byte[4096];
      int length = socket.getInputStream().read(answer);
      return new String(answer, 0, Math.max(0, length), StandardCharsets.UTF_8);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSessionByTheCoreNeedsNoDigestAndItsNotifyGoesBackByTheCore(boolean overTcp)
      throws Exception {
    Scscf scscf = overTcp ? tcp : udp;
    scscf.register(identity(), 720);
    SipRequest subscribe =
        subscribe(
            "P-Asserted-Identity",
            "<" + identity() + ">",
            "P-Charging-Vector",
            VECTOR,
            "Record-Route",
            "<sip:scscf.ims.test;lr>, <sip:pcscf.ims.test;lr>");

    SipResponse answer = scscf.send(subscribe);

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.headers().values("Record-Route"))
        .containsExactly("<sip:scscf.ims.test;lr>", "<sip:pcscf.ims.test;lr>");
    String contact = answer.headers().require("Contact");
    assertThat(contact)
        .isEqualTo(
            "<sip:snapt@127.0.0.1:%d%s>"
                .formatted(rig.bridge.sipPort(), overTcp ? ";transport=tcp" : ""));
    SipRequest notify = notified(scscf);
    assertThat(notify.method()).isEqualTo("NOTIFY");
    assertThat(notify.uri()).isEqualTo("sip:" + user + "@192.0.2.7");
    assertThat(notify.headers().values("Route"))
        .containsExactly("<sip:scscf.ims.test;lr>", "<sip:pcscf.ims.test;lr>");
    assertThat(notify.headers().require("Contact")).isEqualTo(contact);
    SessionToken token = token(notify);
    assertThat(token.getAccount()).isEqualTo(user);
    assertThat(token.getIcid()).isEqualTo("Ay+6=02");

    // A refresh comes to the Contact, and has the same route set.
    SipRequest refresh =
        new SipRequest(
            "SUBSCRIBE",
            contact.substring(1, contact.length() - 1),
            subscribe
                .headers()
                .without("Record-Route")
                .replace("To", answer.headers().require("To"))
                .replace("CSeq", "2 SUBSCRIBE")
                .replace("Expires", "0"),
            subscribe.body());
    assertThat(scscf.send(refresh).status()).isEqualTo(200);
    SipRequest last = notified(scscf);
    assertThat(last.headers().require("Subscription-State")).startsWith("terminated");
    assertThat(last.headers().values("Route")).hasSize(2);
  }

  @Test
  void aSessionWithoutAVectorHasThatOfTheRegistrationElseANewOne() throws Exception {
    udp.register(identity(), 720, "P-Charging-Vector", "icid-value=of-the-registration");
    String asserted = "<" + identity() + ">";
    assertThat(udp.send(subscribe("P-Asserted-Identity", asserted)).status()).isEqualTo(200);
    assertThat(token(notified(udp)).getIcid()).isEqualTo("of-the-registration");

    udp.register(identity(), 720);
    udp.send(subscribe("P-Asserted-Identity", asserted));
    assertThat(token(notified(udp)).getIcid()).matches("[0-9a-f-]{36}");
  }

  @Test
  void theTokenNamesTheChargingFunctionsByDigestsOnly() throws Exception {
    udp.register(identity(), 720, "P-Charging-Function-Addresses", FUNCTIONS);
    udp.send(subscribe("P-Asserted-Identity", "<" + identity() + ">"));
    SessionToken token = token(notified(udp));
    assertThat(token.getChargingFunctionsList())
        .containsExactly(ChargingFunction.digest("cdf.ims.test").orElseThrow());
    assertThat(token.toByteString().toStringUtf8()).doesNotContain("cdf");
  }

  @Test
  void aReportByTheCoreNeedsNoDigest() throws Exception {
    SipRequest report =
        Scscf.request("PUBLISH", identity(), user, "P-Asserted-Identity", "<" + identity() + ">")
            .with("Event", "presence");
    assertThat(udp.send(report).status())
        .as("authenticated, but not an event of ours")
        .isEqualTo(489);
  }

  @Test
  void aDialogByMoreProxiesThanTheBridgeKeepsIsRefused() throws Exception {
    udp.register(identity(), 720);
    SipRequest subscribe = subscribe("P-Asserted-Identity", "<" + identity() + ">");
    for (int i = 0; i < 17; i++) {
      subscribe = subscribe.with("Record-Route", "<sip:proxy" + i + ".ims.test;lr>");
    }
    assertThat(udp.send(subscribe).status()).isEqualTo(483);
  }

  @Test
  void anOperatorSeesWhatTheCoreHasSaid() throws Exception {
    udp.register(
        identity(), 720, "P-Charging-Vector", VECTOR, "P-Charging-Function-Addresses", FUNCTIONS);
    String page;
    try (HttpClient client = HttpClient.newHttpClient()) {
      URI registrations =
          URI.create(
              "http://127.0.0.1:%d/api/v1/registrations?search=%s"
                  .formatted(rig.bridge.restPort(), user));
      page =
          client
              .send(
                  HttpRequest.newBuilder(registrations)
                      .header("Authorization", "Bearer rest-token")
                      .build(),
                  HttpResponse.BodyHandlers.ofString())
              .body();
    }
    assertThat(page)
        .contains(
            "\"scscf\":\"sip:scscf.ims.test;lr\"",
            "\"icid\":\"Ay+6=02\"",
            "\"ccf\":[\"aaa://cdf.ims.test:3868;transport=tcp\"]",
            "\"ecf\":[\"192.0.2.3\",\"192.0.2.4\"]");
  }

  @Test
  void eventsOfTheOwnAccountComeByTheCoreToo() throws Exception {
    udp.register(identity(), 720);
    SipRequest subscribe =
        Scscf.request(
                "SUBSCRIBE",
                identity(),
                "anonymous",
                "P-Asserted-Identity",
                "<" + identity() + ">",
                "Record-Route",
                "<sip:scscf.ims.test;lr>")
            .with("Event", "reg");
    assertThat(udp.send(subscribe).status()).isEqualTo(200);
    SipRequest notify = notified(udp);
    assertThat(notify.headers().values("Route")).containsExactly("<sip:scscf.ims.test;lr>");
    assertThat(notify.body().text()).contains("<uri>" + identity() + "</uri>");
    assertThat(
            udp.send(
                    Scscf.request(
                            "SUBSCRIBE",
                            "sip:alice@ims.test",
                            user,
                            "P-Asserted-Identity",
                            "<" + identity() + ">")
                        .with("Event", "reg"))
                .status())
        .as("of another account")
        .isEqualTo(403);
  }

  @Test
  void aQuestionByTheCoreIsAnsweredByTheServiceThroughTheSameServer() throws Exception {
    udp.register(identity(), 720);
    SipResponse answer =
        udp.send(
            Scscf.request(
                    "MESSAGE",
                    "sip:balance@ims.test",
                    user,
                    "P-Asserted-Identity",
                    "<" + identity() + ">")
                .withBody("text/plain", SipBody.of("help")));
    assertThat(answer.status()).isEqualTo(200);
    SipRequest words = notified(udp);
    assertThat(words.uri()).isEqualTo(identity());
    assertThat(words.headers().values("Route")).containsExactly("<sip:scscf.ims.test;lr>");
    assertThat(words.headers().require("P-Asserted-Identity")).isEqualTo("<sip:viaduct@ims.test>");
  }

  @Test
  void aMessageToAUserOfTheCoreNamesItsSender() throws Exception {
    udp.register(identity(), 720);
    SipResponse answer =
        tcp.send(
            Scscf.request("MESSAGE", identity(), "bob", "P-Asserted-Identity", "<sip:bob@ims.test>")
                .withBody("text/plain", SipBody.of("hello")));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(notified(udp).headers().all("P-Asserted-Identity"))
        .containsExactly("<sip:bob@ims.test>");
    assertThat(
            tcp.send(
                    Scscf.request(
                        "MESSAGE",
                        identity(),
                        "bob",
                        "P-Asserted-Identity",
                        "<sip:alice@ims.test>"))
                .status())
        .as("From is another user than the sender")
        .isEqualTo(403);
  }

  @Test
  void theHeadersOfTheCoreStayInTheTrustDomain() throws Exception {
    SipRequest message =
        Scscf.request(
                "MESSAGE",
                identity(),
                "bob",
                "P-Asserted-Identity",
                "<sip:bob@ims.test>",
                "P-Served-User",
                "<sip:bob@ims.test>",
                "P-Charging-Vector",
                VECTOR,
                "P-Charging-Function-Addresses",
                FUNCTIONS)
            .withBody("text/plain", SipBody.of("hello"));
    try (Contact phone = new Contact(200)) {
      phone.register(user, rig.bridge.sipPort(), "");
      assertThat(tcp.send(message).status()).isEqualTo(200);
      assertThat(phone.received)
          .singleElement()
          .satisfies(seen ->
              assertThat(seen.headers().list()).noneMatch(each -> each.name().startsWith("P-")));
    }
    udp.register(identity(), 720);
    assertThat(tcp.send(message.with("X", "again")).status()).isEqualTo(200);
    assertThat(notified(udp).headers().all("P-Charging-Vector")).containsExactly(VECTOR);
  }

  @Test
  void ofTwoIdentitiesTheOneOfAnAccountCounts() throws Exception {
    udp.register(identity(), 720);
    SipResponse answer =
        raw(
            Scscf.request(
                    "MESSAGE",
                    "sip:balance@ims.test",
                    "anonymous",
                    "P-Asserted-Identity",
                    "\"A, B\" <tel:+390612345>, <" + identity() + ">")
                .withBody("text/plain", SipBody.of("help")));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(notified(udp).uri()).isEqualTo(identity());
  }

  @Test
  void anIdentityWithoutAnAccountIsRefusedInWords() throws Exception {
    SipResponse answer =
        udp.send(
            Scscf.request(
                "MESSAGE",
                "sip:balance@ims.test",
                user,
                "P-Asserted-Identity",
                "<sip:nobody@ims.test>"));
    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.warning().orElse("")).contains("no account of this service");
  }

  /// Sends bytes that the stack of a sender would not send, from the address of a peer.
  private static SipResponse raw(SipRequest request) throws Exception {
    try (SipProbe probe = new SipProbe(address, rig.bridge.sipPort())) {
      return probe.ask(
          request.withHeaders(
              request
                  .headers()
                  .withFirst(
                      "Via", "SIP/2.0/UDP 192.0.2.1;rport;branch=z9hG4bK" + request.callId())));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"<sip:alice@ims.test", "<a>, <b>, <c>", "\"alice"})
  void anIdentityThatCannotBeReadAuthenticatesNobody(String malformed) throws Exception {
    double before = count("core_headers_malformed", "header", "p_asserted_identity");
    SipRequest message =
        Scscf.request("MESSAGE", "sip:balance@ims.test", "alice", "P-Asserted-Identity", malformed);
    assertThat(raw(message).status()).isEqualTo(401);
    assertThat(count("core_headers_malformed", "header", "p_asserted_identity"))
        .isEqualTo(before + 1);
  }

  @Test
  void chargingHeadersThatCannotBeReadAreIgnoredAndCounted() throws Exception {
    double vectors = count("core_headers_malformed", "header", "p_charging_vector");
    double functions = count("core_headers_malformed", "header", "p_charging_function_addresses");
    SipResponse answer =
        raw(
            Scscf.thirdParty(
                identity(),
                720,
                "P-Charging-Vector",
                "icid-value=\"a b\"",
                "P-Charging-Function-Addresses",
                "ccf="));
    assertThat(answer.status()).isEqualTo(200);
    CoreRegistration core = bindings().getFirst().core().orElseThrow();
    assertThat(core.vector()).isEmpty();
    assertThat(core.addresses()).isEqualTo(ChargingAddresses.NONE);
    assertThat(count("core_headers_malformed", "header", "p_charging_vector"))
        .isEqualTo(vectors + 1);
    assertThat(count("core_headers_malformed", "header", "p_charging_function_addresses"))
        .isEqualTo(functions + 1);
  }

  @Test
  void aPeerThatForwardsAUsersOwnRegisterGivesNoWayAroundTheDigest() throws Exception {
    SipRequest register =
        Scscf.request(
            "REGISTER", "sip:ims.test", user, "P-Asserted-Identity", "<" + identity() + ">");
    SipRequest own = register.withHeaders(register.headers().replace("To", "<" + identity() + ">"));
    assertThat(udp.send(own).status()).isEqualTo(401);
    assertThat(bindings()).isEmpty();
  }

  @Test
  void aUserAgentThatRemovesAllItsContactsLeavesThoseOfTheCore() throws Exception {
    udp.register(identity(), 720);
    try (Contact phone = new Contact(200)) {
      phone.register(user, rig.bridge.sipPort(), "");
      assertThat(bindings()).hasSize(2);
      assertThat(
              phone
                  .ask(
                      user,
                      rig.bridge.sipPort(),
                      "REGISTER",
                      "sip:ims.test",
                      identity(),
                      SipHeaders.NONE.with("Contact", "*").with("Expires", "0"),
                      "")
                  .status())
          .isEqualTo(200);
    }
    assertThat(bindings()).singleElement().matches(binding -> binding.core().isPresent());
  }

  @Test
  void aUserAgentOfTheBridgeLearnsTheRouteOfItsRequests() throws Exception {
    try (Contact phone = new Contact(200)) {
      SipResponse answer =
          phone.ask(
              user,
              rig.bridge.sipPort(),
              "REGISTER",
              "sip:ims.test",
              identity(),
              SipHeaders.NONE.with("Contact", "<sip:" + user + "@192.0.2.7>"),
              "");
      String route = answer.headers().require("Service-Route");
      assertThat(route).isEqualTo("<sip:127.0.0.1:" + rig.bridge.sipPort() + ";lr>");
      assertThat(
              phone
                  .ask(
                      user,
                      rig.bridge.sipPort(),
                      "SUBSCRIBE",
                      identity(),
                      SipHeaders.NONE
                          .with("Route", route)
                          .with("Event", "reg")
                          .with("Contact", "<sip:" + user + "@192.0.2.7>"),
                      "")
                  .status())
          .isEqualTo(200);
    }
  }
}
