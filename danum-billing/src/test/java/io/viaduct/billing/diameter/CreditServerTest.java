package io.viaduct.billing.diameter;

import static io.viaduct.billing.diameter.ChargedCalls.DENARIUS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.call.CallCharging;
import io.viaduct.billing.ledger.LedgerVerification;
import io.viaduct.diameter.credit.CreditAnswer;
import io.viaduct.diameter.credit.CreditSession;
import io.viaduct.diameter.credit.FinalUnit;
import io.viaduct.diameter.credit.ServiceGrant;
import io.viaduct.diameter.credit.ServiceRequest;
import io.viaduct.diameter.credit.ServiceUnits;
import io.viaduct.diameter.credit.Subscriber;
import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.message.Answers;
import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.AvpGroup;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.message.SessionParties;
import io.viaduct.diameter.peer.DiameterNode;
import io.viaduct.diameter.peer.NodeIdentity;
import io.viaduct.diameter.peer.NodeSettings;
import io.viaduct.diameter.peer.PeerSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/// Calls of another node, which asks a running billing for their seconds.
@Timeout(120)
class CreditServerTest {
  private static final String NODE = "scscf.ims.test";
  private static final long RATING_GROUP = 100;
  private static final long QUOTA_EXHAUSTED = 3;
  private static final long MICRO_PER_SECOND = 10_000;
  private static final ManualClock CLOCK = new ManualClock();
  private static final SessionParties PARTIES =
      new SessionParties(
          Dictionary.standard(), NODE, ChargedCalls.REALM, ChargedCalls.REALM, "16.32260@3gpp.org");

  private static final BlockingQueue<DiameterMessage> REAUTHORISED = new LinkedBlockingQueue<>();

  private static ChargedCalls calls;
  private static DiameterNode node;

  private final String account = "caller-" + UUID.randomUUID().toString().substring(0, 8);
  private final String session = NODE + ";1;" + UUID.randomUUID();
  private final CreditSession call = session("sip:" + account + "@ims.test");

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    calls = new ChargedCalls(folder, CLOCK, NODE);
    node =
        DiameterNode.start(
            NodeIdentity.charging(
                NODE, ChargedCalls.REALM, List.of(InetAddress.getLoopbackAddress()), 1),
            NodeSettings.standard(
                null,
                List.of(
                    new PeerSettings(
                        ChargedCalls.IDENTITY,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), calls.port())))),
            Dictionary.standard(),
            Map.of(NodeIdentity.CREDIT_CONTROL, CreditServerTest::reauthorised));
    await().until(() -> node.takes(NodeIdentity.CREDIT_CONTROL).get());
  }

  // RFC 8506 section 5.5: a request for the session follows.
  private static CompletableFuture<DiameterMessage> reauthorised(DiameterMessage request) {
    REAUTHORISED.add(request);
    Answers answers = new Answers(Dictionary.standard(), NODE, ChargedCalls.REALM);
    return CompletableFuture.completedFuture(answers.plain(request, 2002));
  }

  private DiameterMessage reauthorisation() throws InterruptedException {
    DiameterMessage request = REAUTHORISED.poll(10, TimeUnit.SECONDS);
    assertThat(request).as("a Re-Auth-Request within 10 s").isNotNull();
    assertThat(request.header().command()).isEqualTo(258);
    assertThat(request.avps().text("Session-Id")).hasValue(session);
    return request;
  }

  @AfterAll
  static void stop() {
    node.close();
    calls.close();
  }

  @BeforeEach
  void price() {
    REAUTHORISED.clear();
    calls.price(0.01);
    CLOCK.advance(Duration.ofSeconds(1));
  }

  private CreditSession session(String uri) {
    return new CreditSession(
        PARTIES, session, new Subscriber(Subscriber.Type.END_USER_SIP_URI, uri));
  }

  private static ServiceRequest seconds(long wanted) {
    return ServiceRequest.wanted(RATING_GROUP, ServiceUnits.ofSeconds(wanted));
  }

  private static ServiceRequest used(long used, long wanted) {
    return seconds(wanted).withUsed(ServiceUnits.ofSeconds(used), QUOTA_EXHAUSTED);
  }

  private static DiameterMessage send(DiameterMessage request) throws Exception {
    return node.send(request).get(30, TimeUnit.SECONDS);
  }

  private static CreditAnswer answer(DiameterMessage request) throws Exception {
    return CreditAnswer.of(send(request));
  }

  private CreditAnswer begin(long wanted) throws Exception {
    return answer(call.initial(List.of(seconds(wanted)), CLOCK.instant()));
  }

  private CreditAnswer goOn(long used, long wanted) throws Exception {
    CLOCK.advance(Duration.ofSeconds(used));
    return answer(call.update(List.of(used(used, wanted)), CLOCK.instant()));
  }

  private CreditAnswer end(long used) throws Exception {
    CLOCK.advance(Duration.ofSeconds(used));
    return answer(
        call.terminate(
            List.of(ServiceRequest.ended(RATING_GROUP, ServiceUnits.ofSeconds(used))),
            "DIAMETER_LOGOUT",
            CLOCK.instant()));
  }

  private static long granted(CreditAnswer answer) {
    return answer.grants().getFirst().granted().orElseThrow().seconds().orElseThrow();
  }

  private JsonNode get(String path) throws Exception {
    RunningBilling.Answer answer =
        calls.billing.get(
            "/api/v1/accounts/" + account + path,
            calls.billing.logIn(account, "password-of-" + account));
    assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
    return answer.body();
  }

  private long balance() throws Exception {
    return get("/balance").get("postedMicrodenarii").asLong();
  }

  private long reserved() throws Exception {
    return get("/credit").get("reservedMicrodenarii").asLong();
  }

  private static void verify() {
    assertThat(calls.billing.parts.getBean(LedgerVerification.class).run())
        .allMatch(LedgerVerification.Check::holds);
  }

  @Test
  void aCallReservesWhatItIsGrantedAndPaysWhatItUses() throws Exception {
    calls.open(account, 10 * DENARIUS);
    CreditAnswer first = begin(30);
    assertThat(first.resultCode()).isEqualTo(2001);
    assertThat(granted(first)).isEqualTo(30);
    assertThat(first.grants().getFirst().validity()).hasValue(Duration.ofMinutes(5));
    assertThat(first.grants().getFirst().finalUnit()).isEmpty();
    assertThat(reserved()).isEqualTo(30 * MICRO_PER_SECOND);
    assertThat(balance()).isEqualTo(10 * DENARIUS);

    assertThat(granted(goOn(28, 10))).isEqualTo(10);
    assertThat(balance()).isEqualTo(10 * DENARIUS - 28 * MICRO_PER_SECOND);
    JsonNode today = get("/usage?by=day,application");
    assertThat(today.at("/usage/0/application").asString()).isEqualTo("call");
    assertThat(today.at("/usage/0/durationMs").asLong()).isEqualTo(28_000);
    assertThat(today.at("/total/netMicrodenarii").asLong())
        .as("as the caps count")
        .isEqualTo(get("/credit").at("/caps/spentTodayMicrodenarii").asLong())
        .isEqualTo(28 * MICRO_PER_SECOND);
    assertThat(get("/usage?by=class&application=web").at("/total/charges").asString())
        .isEqualTo("0");
    JsonNode credit = get("/credit");
    assertThat(credit.get("spentLastHourMicrodenarii").asLong()).isEqualTo(28 * MICRO_PER_SECOND);
    assertThat(credit.get("lastsSeconds").asLong())
        .isEqualTo((10 * DENARIUS / MICRO_PER_SECOND - 28) * 3600 / 28);
    assertThat(reserved()).isEqualTo(10 * MICRO_PER_SECOND);

    assertThat(end(7).resultCode()).isEqualTo(2001);
    assertThat(balance()).isEqualTo(10 * DENARIUS - 35 * MICRO_PER_SECOND);
    assertThat(reserved()).isZero();
    verify();
  }

  @Test
  void theUserSeesTheCallItsSecondsAndItsPrice() throws Exception {
    calls.open(account, 10 * DENARIUS);
    begin(30);
    goOn(20, 10);
    end(5);
    JsonNode shown = get("/calls").at("/calls/0");
    assertThat(shown.get("node").asString()).isEqualTo(NODE);
    assertThat(shown.get("seconds").asLong()).isEqualTo(25);
    assertThat(shown.get("perSecondMicrodenarii").asLong()).isEqualTo(MICRO_PER_SECOND);
    assertThat(shown.get("chargeMicrodenarii").asLong()).isEqualTo(25 * MICRO_PER_SECOND);
    assertThat(shown.get("state").asString()).isEqualTo("termination");
    String month = CLOCK.instant().toString().substring(0, 7);
    JsonNode moved = get("/statements/" + month).get("movements");
    assertThat(moved)
        .anySatisfy(movement -> {
          assertThat(movement.get("kind").asString()).isEqualTo("CALL");
          assertThat(movement.get("amountMicrodenarii").asLong()).isEqualTo(-25 * MICRO_PER_SECOND);
        });
  }

  @Test
  void theMediaThatARequestDescribesIsThatOfItsCall() throws Exception {
    calls.open(account, 10 * DENARIUS);
    DiameterMessage initial = call.initial(List.of(seconds(30)), CLOCK.instant());
    AvpGroup described =
        new AvpBuilder(Dictionary.standard())
            .addAll(initial.avps())
            .addAll(
                SdpMediaTest.request(
                    List.of("c=IN IP4 192.0.2.7"), "m=audio 4000 RTP/AVP 0", List.of()))
            .build();
    assertThat(answer(new DiameterMessage(initial.header(), described)).resultCode())
        .isEqualTo(2001);
    assertThat(
            calls
                .billing
                .parts
                .getBean(JdbcClient.class)
                .sql(
                    "select m.address || ' ' || m.port from call_media m join call_session c"
                        + " on c.id = m.call_id where c.session_id = ? order by 1")
                .param(session)
                .query(String.class)
                .list())
        .containsExactly("192.0.2.7 4000", "192.0.2.7 4001");
  }

  @Test
  void aCopyOfARequestGetsTheSameAnswerAndPostsNothing() throws Exception {
    calls.open(account, 10 * DENARIUS);
    begin(30);
    CLOCK.advance(Duration.ofSeconds(30));
    DiameterMessage update = call.update(List.of(used(30, 30)), CLOCK.instant());
    CreditAnswer first = answer(update);
    // With another end-to-end identifier, as after a restart of either end: only the ledger knows
    // it.
    CreditAnswer copy = answer(update.with(update.header().asRetransmission()));
    assertThat(copy).isEqualTo(first);
    assertThat(balance()).isEqualTo(10 * DENARIUS - 30 * MICRO_PER_SECOND);
    assertThat(reserved()).isEqualTo(30 * MICRO_PER_SECOND);
    assertThat(calls.billing.counter("viaduct_call_requests_repeated_total")).isPositive();
    verify();
  }

  @Test
  void theLastSecondsThatTheCreditPaysAreTheFinalUnits() throws Exception {
    calls.open(account, 44 * MICRO_PER_SECOND);
    assertThat(granted(begin(30))).isEqualTo(30);
    CreditAnswer last = goOn(30, 30);
    assertThat(granted(last)).isEqualTo(14);
    assertThat(last.grants().getFirst().finalUnit()).hasValue(FinalUnit.TERMINATE);
    CreditAnswer none = goOn(14, 30);
    assertThat(none.resultCode()).isEqualTo(4012);
    assertThat(none.grants()).noneMatch(ServiceGrant::isGranted);
    assertThat(balance()).isZero();
    assertThat(get("/calls").at("/calls/0/state").asString()).isEqualTo("refusal");
    verify();
  }

  @Test
  void aCallWithItsFinalUnitsHearsOfATopUpAtOnceAndGoesOn() throws Exception {
    calls.open(account, 44 * MICRO_PER_SECOND);
    begin(30);
    assertThat(goOn(30, 30).grants().getFirst().finalUnit()).isPresent();
    calls.topUp(account, DENARIUS);
    DiameterMessage heard = reauthorisation();
    assertThat(heard.avps().text("Destination-Host")).hasValue(NODE);
    assertThat(heard.avps().text("Destination-Realm")).hasValue(ChargedCalls.REALM);
    assertThat(heard.avps().number("Auth-Application-Id")).hasValue(4);
    assertThat(heard.avps().number("Re-Auth-Request-Type")).hasValue(0);
    CreditAnswer more = goOn(2, 30);
    assertThat(granted(more)).isEqualTo(30);
    assertThat(more.grants().getFirst().finalUnit()).isEmpty();
    await()
        .until(() ->
            calls.billing.counter("viaduct_call_reauthorisations_total{result=\"accepted\"") > 0);
    assertThat(calls.billing.parts.getBean(CallCharging.class).waitingAccounts())
        .doesNotContain(account);
    verify();
  }

  @Test
  void aCallThatWasRefusedFurtherSecondsGoesOnAfterATopUpIfItsNodeAsks() throws Exception {
    calls.open(account, 30 * MICRO_PER_SECOND);
    begin(30);
    assertThat(goOn(30, 30).resultCode()).isEqualTo(4012);
    calls.topUp(account, MICRO_PER_SECOND);
    calls.topUp(account, DENARIUS);
    var unused = reauthorisation();
    assertThat(granted(goOn(0, 30))).isEqualTo(30);
    assertThat(end(30).resultCode()).isEqualTo(2001);
    assertThat(balance()).isEqualTo(DENARIUS - 29 * MICRO_PER_SECOND);
    verify();
  }

  @Test
  void whoCannotPayOneSecondIsRefusedAtOnce() throws Exception {
    calls.open(account, MICRO_PER_SECOND - 1);
    assertThat(begin(30).resultCode()).isEqualTo(4012);
    assertThat(reserved()).isZero();
    calls.topUp(account, DENARIUS);
    assertThat(
            answer(
                    session("sip:" + account + "@ims.test")
                        .initial(List.of(seconds(30)), CLOCK.instant()))
                .resultCode())
        .as("the same session may begin after a top-up")
        .isEqualTo(2001);
  }

  @Test
  void callsAndSessionsOfOneAccountCannotPromiseTheSameCredit() throws Exception {
    calls.open(account, 40 * MICRO_PER_SECOND);
    assertThat(granted(begin(30))).isEqualTo(30);
    CreditSession second =
        new CreditSession(
            PARTIES,
            session + "-2",
            new Subscriber(Subscriber.Type.END_USER_SIP_URI, "sip:" + account + "@ims.test"));
    CreditAnswer rest = answer(second.initial(List.of(seconds(30)), CLOCK.instant()));
    assertThat(granted(rest)).isEqualTo(10);
    assertThat(rest.grants().getFirst().finalUnit()).hasValue(FinalUnit.TERMINATE);
  }

  @Test
  void unknownUsersAndTariffsWithoutAPriceAreRefused() throws Exception {
    assertThat(begin(30).resultCode()).isEqualTo(5030);
    calls.open(account, DENARIUS);
    assertThat(
            answer(
                    session("sip:" + account + "@elsewhere.test")
                        .initial(List.of(seconds(30)), CLOCK.instant()))
                .resultCode())
        .as("a user of another domain")
        .isEqualTo(5030);
    calls.price(null);
    CLOCK.advance(Duration.ofSeconds(1));
    CreditSession unpriced = session("sip:" + account + "@ims.test");
    assertThat(answer(unpriced.initial(List.of(seconds(30)), CLOCK.instant())).resultCode())
        .isEqualTo(5031);
    assertThat(answer(unpriced.update(List.of(used(1, 1)), CLOCK.instant())).resultCode())
        .as("no call began")
        .isEqualTo(5002);
  }

  @Test
  void aSuspendedUserPaysWhatWasUsedAndGetsNoMore() throws Exception {
    calls.open(account, DENARIUS);
    begin(30);
    String operator = calls.billing.operator();
    assertThat(
            calls
                .billing
                .change("/api/v1/accounts/" + account, operator, "{\"state\":\"suspended\"}")
                .status())
        .isEqualTo(200);
    assertThat(goOn(30, 30).resultCode()).isEqualTo(4010);
    JsonNode credit = calls.billing.get("/api/v1/accounts/" + account + "/credit", operator).body();
    assertThat(credit.get("reservedMicrodenarii").asLong()).isZero();
    assertThat(credit.get("availableMicrodenarii").asLong())
        .isEqualTo(DENARIUS - 30 * MICRO_PER_SECOND);
  }

  @Test
  void aCallThatAsksNoMoreEndsAndIsChargedForWhatItTold() throws Exception {
    calls.open(account, DENARIUS);
    begin(30);
    goOn(30, 30);
    CLOCK.advance(Duration.ofMinutes(5).plusSeconds(6));
    await().untilAsserted(() -> assertThat(reserved()).isZero());
    await()
        .untilAsserted(
            () -> assertThat(get("/calls").at("/calls/0/state").asString()).isEqualTo("lapse"));
    assertThat(balance()).isEqualTo(DENARIUS - 30 * MICRO_PER_SECOND);
    assertThat(granted(goOn(10, 20))).as("it rang for long and goes on").isEqualTo(20);
    assertThat(end(20).resultCode()).isEqualTo(2001);
    assertThat(balance()).isEqualTo(DENARIUS - 60 * MICRO_PER_SECOND);
    verify();
  }

  @Test
  void noCallIsLongerThanTheTimeSinceItBegan() throws Exception {
    calls.open(account, 1000 * DENARIUS);
    begin(30);
    assertThat(answer(call.update(List.of(used(62, 30)), CLOCK.instant())).resultCode())
        .isEqualTo(5004);
    assertThat(balance()).isEqualTo(1000 * DENARIUS);
  }

  @Test
  void whatIsToldAfterTheEndIsChargedAndGrantsNothing() throws Exception {
    calls.open(account, DENARIUS);
    begin(30);
    CLOCK.advance(Duration.ofSeconds(10));
    DiameterMessage overtaken = call.update(List.of(used(10, 30)), CLOCK.instant());
    assertThat(end(5).resultCode()).isEqualTo(2001);
    assertThat(answer(overtaken).resultCode()).isEqualTo(5002);
    assertThat(balance()).isEqualTo(DENARIUS - 15 * MICRO_PER_SECOND);
    assertThat(reserved()).isZero();
    verify();
  }

  @Test
  void aCallThatWasRefusedAndThenTerminatedStaysSoWhateverComesLate() throws Exception {
    calls.open(account, 30 * MICRO_PER_SECOND);
    begin(30);
    assertThat(goOn(30, 30).resultCode()).isEqualTo(4012);
    DiameterMessage overtaken = call.update(List.of(used(0, 30)), CLOCK.instant());
    assertThat(end(0).resultCode()).isEqualTo(2001);
    calls.topUp(account, DENARIUS);
    assertThat(answer(overtaken).resultCode()).isEqualTo(5002);
    assertThat(reserved()).isZero();
    assertThat(balance()).isEqualTo(DENARIUS);
    assertThat(get("/calls").at("/calls/0/state").asString()).isEqualTo("refusal");
    verify();
  }

  @Test
  void moneyThatExpiresPaysFirst() throws Exception {
    calls.open(account, DENARIUS);
    RunningBilling.Answer grant =
        calls.billing.call(
            "POST",
            "/api/v1/accounts/" + account + "/grants",
            calls.billing.operator(),
            "{\"amountMicrodenarii\":\"%d\",\"expiresAt\":\"%s\",\"reason\":\"welcome\"}"
                .formatted(20 * MICRO_PER_SECOND, CLOCK.instant().plus(Duration.ofDays(1))),
            Map.of("Idempotency-Key", UUID.randomUUID().toString()));
    assertThat(grant.status()).isEqualTo(201);
    begin(30);
    goOn(15, 30);
    assertThat(get("/wallets").at("/wallets/0/restMicrodenarii").asLong())
        .isEqualTo(5 * MICRO_PER_SECOND);
    end(10);
    assertThat(get("/wallets").at("/wallets/0/restMicrodenarii").asLong()).isZero();
    verify();
  }

  @Test
  void anEventAsksForPriceAndBalance() throws Exception {
    calls.open(account, 30 * MICRO_PER_SECOND);
    CreditSession question = session("sip:" + account + "@ims.test");
    DiameterMessage balance =
        send(question.event(List.of(seconds(30)), "CHECK_BALANCE", CLOCK.instant()));
    assertThat(balance.resultCode()).hasValue(2001);
    assertThat(balance.avps().number("Check-Balance-Result")).hasValue(0);
    DiameterMessage more =
        send(
            session("sip:" + account + "@ims.test")
                .event(List.of(seconds(31)), "CHECK_BALANCE", CLOCK.instant()));
    assertThat(more.avps().number("Check-Balance-Result")).hasValue(1);
    DiameterMessage price =
        send(
            session("sip:" + account + "@ims.test")
                .event(List.of(seconds(60)), "PRICE_ENQUIRY", CLOCK.instant()));
    AvpGroup value =
        price
            .avps()
            .group("Cost-Information")
            .flatMap(cost -> cost.group("Unit-Value"))
            .orElseThrow();
    assertThat(value.number("Value-Digits")).hasValue(60 * MICRO_PER_SECOND);
    assertThat(value.number("Exponent")).hasValue(-6);
    DiameterMessage debit =
        send(
            session("sip:" + account + "@ims.test")
                .event(List.of(seconds(60)), "DIRECT_DEBITING", CLOCK.instant()));
    assertThat(debit.resultCode()).hasValue(5004);
  }

  // RFC 8506 section 5.1.2: a session of one service has its units in the message itself.
  private DiameterMessage single(DiameterMessage request, Consumer<AvpBuilder> units) {
    AvpBuilder avps = new AvpBuilder(Dictionary.standard());
    request.avps().avps().stream()
        .filter(avp -> !avp.name().startsWith("Multiple-Services"))
        .forEach(avps::add);
    units.accept(avps);
    return new DiameterMessage(request.header(), avps.build());
  }

  private static Consumer<AvpBuilder> seconds(String group, long seconds) {
    return avps -> avps.group(group, units -> units.add("CC-Time", seconds));
  }

  private DiameterMessage singleInitial(Consumer<AvpBuilder> units) throws Exception {
    return send(single(call.initial(List.of(), CLOCK.instant()), units));
  }

  @Test
  void aNodeWithASingleServiceIsGrantedAndChargedLikewise() throws Exception {
    calls.open(account, 44 * MICRO_PER_SECOND);
    DiameterMessage first = singleInitial(seconds("Requested-Service-Unit", 30));
    assertThat(first.resultCode()).hasValue(2001);
    assertThat(first.avps().has("Multiple-Services-Credit-Control")).isFalse();
    assertThat(first.avps().group("Granted-Service-Unit").orElseThrow().number("CC-Time"))
        .hasValue(30);
    assertThat(first.avps().number("Validity-Time")).hasValue(300);
    assertThat(reserved()).isEqualTo(30 * MICRO_PER_SECOND);

    CLOCK.advance(Duration.ofSeconds(30));
    CreditAnswer last =
        answer(
            single(
                call.update(List.of(), CLOCK.instant()),
                seconds("Used-Service-Unit", 30).andThen(seconds("Requested-Service-Unit", 30))));
    assertThat(granted(last)).isEqualTo(14);
    assertThat(last.grants().getFirst().finalUnit()).hasValue(FinalUnit.TERMINATE);
    assertThat(balance()).isEqualTo(14 * MICRO_PER_SECOND);

    CLOCK.advance(Duration.ofSeconds(14));
    DiameterMessage end =
        send(
            single(
                call.terminate(List.of(), "DIAMETER_LOGOUT", CLOCK.instant()),
                seconds("Used-Service-Unit", 14)));
    assertThat(end.resultCode()).hasValue(2001);
    assertThat(balance()).isZero();
    verify();
  }

  @Test
  void aSingleServiceOfAUserWithoutCreditIsRefused() throws Exception {
    calls.open(account, 0);
    DiameterMessage refused = singleInitial(seconds("Requested-Service-Unit", 30));
    assertThat(refused.resultCode()).hasValue(4012);
    assertThat(refused.avps().has("Granted-Service-Unit")).isFalse();
  }

  @Test
  void aSingleServiceThatIsNotCountedInSecondsHasNoPrice() throws Exception {
    calls.open(account, DENARIUS);
    assertThat(
            singleInitial(avps ->
                    avps.group(
                        "Requested-Service-Unit", units -> units.add("CC-Total-Octets", 1000)))
                .resultCode())
        .hasValue(5031);
  }

  @Test
  void aRequestThatNamesNoUnitsOpensNoCallAndKeepsNoneOpen() throws Exception {
    calls.open(account, DENARIUS);
    DiameterMessage nothing = singleInitial(_ -> {});
    assertThat(nothing.resultCode()).hasValue(5005);
    assertThat(nothing.avps().group("Failed-AVP").orElseThrow().has("Requested-Service-Unit"))
        .isTrue();
    DiameterMessage inGroup =
        send(
            session("sip:" + account + "@ims.test")
                .initial(
                    List.of(
                        new ServiceRequest(
                            OptionalLong.of(RATING_GROUP),
                            OptionalLong.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            OptionalLong.empty())),
                    CLOCK.instant()));
    assertThat(inGroup.resultCode()).hasValue(5005);
    assertThat(
            inGroup
                .avps()
                .group("Failed-AVP")
                .flatMap(failed -> failed.octets("Multiple-Services-Credit-Control")))
        .as("an empty Requested-Service-Unit, code 437, M bit, 8 octets")
        .hasValue(HexFormat.of().parseHex("000001b540000008"));
    assertThat(
            answer(
                    session("sip:" + account + "@ims.test")
                        .initial(List.of(seconds(0)), CLOCK.instant()))
                .resultCode())
        .isEqualTo(5004);
    assertThat(get("/calls").get("calls")).isEmpty();

    assertThat(
            answer(
                    session("sip:" + account + "@ims.test")
                        .initial(List.of(seconds(30)), CLOCK.instant()))
                .resultCode())
        .isEqualTo(2001);
    assertThat(send(single(call.update(List.of(), CLOCK.instant()), _ -> {})).resultCode())
        .hasValue(5005);
  }

  @Test
  void aServiceThatIsNotCountedInSecondsHasNoPrice() throws Exception {
    calls.open(account, DENARIUS);
    CreditAnswer octets =
        answer(
            call.initial(
                List.of(ServiceRequest.wanted(RATING_GROUP, ServiceUnits.ofOctets(1000))),
                CLOCK.instant()));
    assertThat(octets.resultCode()).isEqualTo(5031);
    ServiceRequest messages = ServiceRequest.wanted(7, ServiceUnits.ofSpecific(1));
    CreditAnswer both =
        answer(
            session("sip:" + account + "@ims.test")
                .initial(List.of(messages, seconds(10)), CLOCK.instant()));
    assertThat(both.resultCode()).isEqualTo(2001);
    assertThat(both.grants().getFirst().resultCode()).isEqualTo(5031);
    assertThat(both.grants().get(1).granted().flatMap(u -> Optional.of(u.seconds())))
        .hasValue(ServiceUnits.ofSeconds(10).seconds());
  }
}
