package io.viaduct.billing.provisioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.configuration.SnaptFacts;
import io.viaduct.billing.snapts.Snapts;
import io.viaduct.billing.snapts.SnaptsImport;
import io.viaduct.service.logging.CapturedLog;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.v1.EnrolledSnapt;
import io.viaduct.usage.v1.EnrolmentGrpc;
import io.viaduct.usage.v1.ImportSnaptsRequest;
import io.viaduct.usage.v1.ImportSnaptsResponse;
import io.viaduct.usage.v1.JoinAnswer;
import io.viaduct.usage.v1.JoinRequest;
import io.viaduct.usage.v1.RefusedSnapt;
import io.viaduct.usage.v1.RenewRequest;
import io.viaduct.usage.v1.SnaptEvent;
import io.viaduct.usage.v1.WatchSnaptsRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.interfaces.EdECPublicKey;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Operators enrol SNAPTs by REST, and a bridge follows by gRPC. The database is shared, so each
/// test has ids of its own.
@Timeout(120)
class EnrolmentTest {
  @TempDir static Path folder;

  private static RunningBilling billing;
  private static String operator;
  private static ManagedChannel channel;

  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private final String snapt = "snapt-" + tag;
  private final String owner = "owner-" + tag;
  private final String key = key();

  @BeforeAll
  static void start() throws Exception {
    billing =
        RunningBilling.start(
            folder,
            InstantSource.system(),
            "snapts: [{id: configured-1, report-key: '%s', owner: acme, region: core}, {id: configured-2, report-key: '%s', owner: acme, region: core}]"
                .formatted(key(), key()));
    operator = billing.operator();
    channel = billing.channel("ims-bridge");
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    billing.close();
  }

  private static String key() {
    return Base64.getEncoder()
        .encodeToString(Ed25519.raw((EdECPublicKey) Ed25519.generate().getPublic()));
  }

  private Answer put(String body, Map<String, String> headers) throws Exception {
    return billing.call("PUT", "/api/v1/snapts/" + snapt, operator, body, headers);
  }

  private String body(String ofOwner, String region) {
    return "{\"reportKey\":\"%s\",\"owner\":\"%s\",\"region\":\"%s\"}"
        .formatted(key, ofOwner, region);
  }

  private static final class Bridge implements StreamObserver<SnaptEvent> {
    private final List<SnaptEvent> events = new CopyOnWriteArrayList<>();

    @Override
    public void onNext(SnaptEvent event) {
      events.add(event);
    }

    @Override
    public void onError(Throwable cause) {
      // at the stop
    }

    @Override
    public void onCompleted() {
      // at the stop
    }

    private Optional<SnaptEvent> last(String id) {
      return events.reversed().stream()
          .filter(e -> e.getSnapt().getSnaptId().equals(id) || e.getRemoved().equals(id))
          .findFirst();
    }

    private boolean isComplete() {
      return events.stream().anyMatch(SnaptEvent::getComplete);
    }
  }

  private static Bridge watch() {
    Bridge bridge = new Bridge();
    EnrolmentGrpc.newStub(channel).watchSnapts(WatchSnaptsRequest.getDefaultInstance(), bridge);
    await().until(bridge::isComplete);
    return bridge;
  }

  @Test
  void aSnaptIsEnrolledChangedAndRemovedAndTheBridgeHearsEachChange() throws Exception {
    Bridge bridge = watch();
    Answer enrolled = put(body(owner, "north"), Map.of());
    assertThat(enrolled.status()).as(enrolled.raw().body()).isEqualTo(201);
    assertThat(enrolled.raw().headers().firstValue("ETag")).hasValue("\"1\"");
    await().until(() -> bridge.last(snapt).isPresent());
    EnrolledSnapt told = bridge.last(snapt).orElseThrow().getSnapt();
    assertThat(told.getOwner()).isEqualTo(owner);
    assertThat(told.getRegion()).isEqualTo("north");
    assertThat(told.getReportKey()).isEqualTo(ByteString.copyFrom(Base64.getDecoder().decode(key)));
    assertThat(put(body(owner, "south"), Map.of()).problem()).isEqualTo("version-required");
    assertThat(put(body(owner, "south"), Map.of("If-Match", "\"7\"")).problem())
        .isEqualTo("changed-meanwhile");
    Answer changed = put(body(owner, "south"), Map.of("If-Match", "\"1\""));
    assertThat(changed.status()).isEqualTo(200);
    await().until(() -> bridge.last(snapt).orElseThrow().getSnapt().getRegion().equals("south"));
    assertThat(billing.call("DELETE", "/api/v1/snapts/" + snapt, operator, null, Map.of()).status())
        .isEqualTo(204);
    await().until(() -> bridge.last(snapt).orElseThrow().getRemoved().equals(snapt));
    assertThat(billing.get("/api/v1/snapts/" + snapt, operator).status()).isEqualTo(404);
    assertThat(billing.call("DELETE", "/api/v1/snapts/" + snapt, operator, null, Map.of()).status())
        .isEqualTo(404);
    assertThat(put(body(owner, "north"), Map.of()).raw().headers().firstValue("ETag"))
        .as("enrolled again")
        .hasValue("\"4\"");
  }

  @Test
  void thePriceOfTheOwnerComesWithTheSnaptAndLaterVersionsToo() throws Exception {
    Bridge bridge = watch();
    put(body(owner, ""), Map.of());
    String path = "/api/v1/owners/" + owner + "/surcharges";
    assertThat(
            billing
                .post(
                    path, operator, "{\"surcharge\":{\"denarii-per-megabyte\":{\"HT_HD\":0.0025}}}")
                .status())
        .isEqualTo(201);
    billing.post(
        path,
        operator,
        "{\"effectiveFrom\":\"2100-01-01T00:00:00Z\",\"surcharge\":{\"denarii-per-megabyte\":{\"LT_LD\":1}}}");
    await().until(() -> bridge.last(snapt).orElseThrow().getSnapt().getSurchargesCount() == 2);
    EnrolledSnapt told = bridge.last(snapt).orElseThrow().getSnapt();
    assertThat(told.getSurcharges(0).getMicrodenariiPerGigabyteList())
        .containsExactly(0L, 0L, 0L, 2_500_000L);
    assertThat(told.getSurcharges(1).getFromMs())
        .isEqualTo(Instant.parse("2100-01-01T00:00:00Z").toEpochMilli());
    Answer shown = billing.get("/api/v1/snapts/" + snapt, operator);
    assertThat(shown.body().at("/surcharge/surcharge/denarii-per-megabyte/HT_HD").asDouble())
        .isEqualTo(0.0025);
    assertThat(shown.body().path("scheduled")).hasSize(1);
    assertThat(billing.get("/api/v1/snapts?limit=500", operator).raw().body()).contains(snapt);
  }

  @Test
  void onlySnaptsThatBillingHasNeverKnownAreImported() throws Exception {
    put(body(owner, "north"), Map.of());
    billing.call("DELETE", "/api/v1/snapts/" + snapt, operator, null, Map.of());
    String other = "other-" + tag;
    EnrolledSnapt line =
        EnrolledSnapt.newBuilder()
            .setReportKey(ByteString.copyFrom(Base64.getDecoder().decode(key)))
            .setOwner("whoever")
            .setRegion("core")
            .build();
    ImportSnaptsRequest request =
        ImportSnaptsRequest.newBuilder()
            .addSnapts(line.toBuilder().setSnaptId(snapt))
            .addSnapts(line.toBuilder().setSnaptId(other))
            .build();
    assertThat(EnrolmentGrpc.newBlockingStub(channel).importSnapts(request).getEnrolled())
        .isEqualTo(1);
    assertThat(EnrolmentGrpc.newBlockingStub(channel).importSnapts(request).getEnrolled()).isZero();
    assertThat(billing.get("/api/v1/snapts/" + snapt, operator).status())
        .as("it was removed by an operator")
        .isEqualTo(404);
    assertThat(billing.get("/api/v1/snapts/" + other, operator).body().path("owner").asString())
        .as("billing's own configuration says whom it was charged for")
        .isEqualTo("operator");
  }

  @Test
  void aSnaptThatBreaksARuleIsNamedInTheAnswerAndTheOthersAreImported() {
    EnrolledSnapt good =
        EnrolledSnapt.newBuilder()
            .setSnaptId(snapt)
            .setReportKey(ByteString.copyFrom(Base64.getDecoder().decode(key)))
            .setOwner("whoever")
            .build();
    ImportSnaptsResponse answer =
        EnrolmentGrpc.newBlockingStub(channel)
            .importSnapts(
                ImportSnaptsRequest.newBuilder()
                    .addSnapts(good.toBuilder().setSnaptId("far").setRegion("x".repeat(65)))
                    .addSnapts(good.toBuilder().setSnaptId("no id"))
                    .addSnapts(good)
                    .build());
    assertThat(answer.getEnrolled()).isEqualTo(1);
    assertThat(answer.getRefusedList())
        .extracting(RefusedSnapt::getSnaptId)
        .containsExactly("far", "no id");
    assertThat(answer.getRefused(0).getWhy()).contains("region must have at most 64 characters");
    assertThat(answer.getRefused(1).getWhy()).contains("the id of a SNAPT must match");
  }

  @Test
  void theSnaptsOfTheConfigurationAreEnrolledAtTheStart() throws Exception {
    assertThat(billing.get("/api/v1/snapts/configured-1", operator).body().path("owner").asString())
        .isEqualTo("acme");
    JsonNode entry =
        billing
            .get("/api/v1/audit?account=configuration&about=configured-1", operator)
            .body()
            .at("/entries/0");
    assertThat(entry.path("operation").asString()).isEqualTo("enrolSnapt");
    assertThat(entry.path("role").asString()).isEqualTo("configuration");
    assertThat(entry.path("changes"))
        .extracting(change -> change.path("table").asString())
        .contains("snapt", "snapt_owner");
  }

  @Test
  void eachStartWarnsOfAnOwnerInTheConfigurationWhoIsNotPaid() {
    Snapts snapts = billing.parts.getBean(Snapts.class);
    SnaptFacts sold = new SnaptFacts("configured-2", key, "beacon", "core", Optional.empty());
    snapts.put(sold, snapts.find("configured-2").orElseThrow().version(), "olga", Instant.now());
    try (CapturedLog log = CapturedLog.of("io.viaduct.billing.snapts")) {
      billing
          .parts
          .getBean(SnaptsImport.class)
          .importFrom(billing.parts.getBean(BillingConfiguration.class));
      assertThat(log.lines("has the owner"))
          .singleElement()
          .asString()
          .contains("configured-2", "owner acme", "enrolled for beacon", "denarii snapts enrol");
    }
    assertThat(snapts.owner("configured-2")).as("the table counts").hasValue("beacon");
  }

  @Test
  void aUserMayNotEnrolAndAWrongKeyIsRefusedWithItsRule() throws Exception {
    String user = "user-" + tag;
    billing.openAccount(operator, user);
    String token = billing.logIn(user, "password-of-" + user);
    assertThat(
            billing
                .call("PUT", "/api/v1/snapts/" + snapt, token, body(owner, ""), Map.of())
                .problem())
        .isEqualTo("forbidden");
    Answer refused = put("{\"reportKey\":\"AAAA\",\"owner\":\"acme\"}", Map.of());
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.raw().body()).contains("report-key must be base64");
  }

  private static final String REQUEST =
      "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n";

  private String invite() throws Exception {
    Answer made =
        billing.call(
            "POST",
            "/api/v1/snapts/" + snapt + "/invitation",
            operator,
            "{\"owner\":\"%s\",\"region\":\"north\"}".formatted(owner),
            Map.of());
    assertThat(made.status()).isEqualTo(201);
    return made.body().get("code").asString();
  }

  private JoinRequest.Builder joining(String code) {
    return JoinRequest.newBuilder()
        .setSnaptId(snapt)
        .setCode(code)
        .setReportKey(ByteString.copyFrom(Base64.getDecoder().decode(key)))
        .setCertificateRequest(REQUEST);
  }

  private static JoinAnswer join(JoinRequest.Builder request) {
    return EnrolmentGrpc.newBlockingStub(channel).join(request.build());
  }

  private static JoinAnswer.Verdict verdict(JoinRequest.Builder request) {
    return join(request).getVerdict();
  }

  private Answer certify(String certificates) throws Exception {
    return billing.call(
        "PUT",
        "/api/v1/snapts/" + snapt + "/invitation/certificate",
        operator,
        JsonMapper.shared().writeValueAsString(Map.of("certificates", certificates)),
        Map.of());
  }

  @Test
  void anInvitedSnaptUsesItsCodeOnceWaitsAndGetsItsCertificateWhenItIsEnrolled() throws Exception {
    String code = invite();
    assertThat(certify("none").status()).isEqualTo(400);
    String certificate = Files.readString(billing.authority.issue(snapt).certificate());
    assertThat(certify(certificate).status()).as("nobody has asked").isEqualTo(404);
    assertThat(verdict(joining(code))).isEqualTo(JoinAnswer.Verdict.WAITING);
    assertThat(verdict(joining(code))).as("again").isEqualTo(JoinAnswer.Verdict.WAITING);
    Answer invited = billing.get("/api/v1/snapts/" + snapt + "/invitation", operator);
    assertThat(invited.body().get("request").asString()).isEqualTo(REQUEST);
    assertThat(invited.body().get("reportKey").asString()).isEqualTo(key);
    assertThat(invited.body().get("certified").asBoolean()).isFalse();
    assertThat(
            certify(Files.readString(billing.authority.issue("snapt-other").certificate()))
                .status())
        .as("another's name")
        .isEqualTo(400);
    assertThat(certify(certificate).status()).isEqualTo(200);
    JoinAnswer certified = join(joining(code));
    assertThat(certified.getVerdict()).isEqualTo(JoinAnswer.Verdict.CERTIFIED);
    assertThat(certified.getCertificates()).isEqualTo(certificate);
    Answer enrolled = billing.get("/api/v1/snapts/" + snapt, operator);
    assertThat(enrolled.body().get("reportKey").asString()).isEqualTo(key);
    assertThat(enrolled.body().get("owner").asString()).isEqualTo(owner);
  }

  @Test
  void aCodeIsRefusedToOthersAfterItsUseForAnotherIdAndAfterTheNextInvitation() throws Exception {
    String code = invite();
    assertThat(verdict(joining(code + "x"))).isEqualTo(JoinAnswer.Verdict.CODE_REFUSED);
    assertThat(verdict(joining(code).setSnaptId("snapt-thief")))
        .isEqualTo(JoinAnswer.Verdict.CODE_REFUSED);
    assertThat(verdict(joining(code))).isEqualTo(JoinAnswer.Verdict.WAITING);
    assertThat(verdict(joining(code).setReportKey(ByteString.copyFrom(new byte[32]))))
        .isEqualTo(JoinAnswer.Verdict.CODE_REFUSED);
    assertThat(verdict(joining(code).setCertificateRequest(REQUEST.replace("AAAA", "BBBB"))))
        .isEqualTo(JoinAnswer.Verdict.CODE_REFUSED);
    String next = invite();
    assertThat(verdict(joining(code))).isEqualTo(JoinAnswer.Verdict.CODE_REFUSED);
    assertThat(verdict(joining(next))).isEqualTo(JoinAnswer.Verdict.WAITING);
  }

  private JoinAnswer renew() {
    return EnrolmentGrpc.newBlockingStub(channel)
        .renew(RenewRequest.newBuilder().setSnaptId(snapt).setCertificateRequest(REQUEST).build());
  }

  @Test
  void anEnrolledSnaptGetsItsNextCertificateAndItsEnrolmentStays() throws Exception {
    assertThat(renew().getVerdict())
        .as("not enrolled")
        .isEqualTo(JoinAnswer.Verdict.RENEWAL_REFUSED);
    assertThat(put(body(owner, "north"), Map.of()).status()).isEqualTo(201);
    assertThat(renew().getVerdict()).isEqualTo(JoinAnswer.Verdict.WAITING);
    Answer waiting = billing.get("/api/v1/snapts/" + snapt + "/invitation", operator);
    assertThat(waiting.body().get("request").asString()).isEqualTo(REQUEST);
    assertThat(waiting.body().get("renewal").asBoolean()).isTrue();
    Answer enrolled = billing.get("/api/v1/snapts/" + snapt, operator);
    assertThat(
            put(
                    body(owner, "south"),
                    Map.of("If-Match", enrolled.raw().headers().firstValue("ETag").orElseThrow()))
                .status())
        .isEqualTo(200);
    String next = Files.readString(billing.authority.issue(snapt).certificate());
    assertThat(certify(next).status()).isEqualTo(200);
    JoinAnswer certified = renew();
    assertThat(certified.getVerdict()).isEqualTo(JoinAnswer.Verdict.CERTIFIED);
    assertThat(certified.getCertificates()).isEqualTo(next);
    assertThat(billing.get("/api/v1/snapts/" + snapt, operator).body().get("region").asString())
        .as("a change after the request")
        .isEqualTo("south");
    Answer otherKey = certify(Files.readString(billing.authority.issue(snapt).certificate()));
    assertThat(otherKey.status()).isEqualTo(400);
    assertThat(otherKey.body().get("detail").asString()).contains("the key of the present one");
  }

  @Test
  void aSnaptThatIsInvitedAnewIsNotRenewedUntilItHasItsCertificate() throws Exception {
    assertThat(put(body(owner, "north"), Map.of()).status()).isEqualTo(201);
    String code = invite();
    assertThat(renew().getVerdict()).isEqualTo(JoinAnswer.Verdict.RENEWAL_REFUSED);
    assertThat(verdict(joining(code))).isEqualTo(JoinAnswer.Verdict.WAITING);
    assertThat(renew().getVerdict()).isEqualTo(JoinAnswer.Verdict.RENEWAL_REFUSED);
    assertThat(certify(Files.readString(billing.authority.issue(snapt).certificate())).status())
        .isEqualTo(200);
    assertThat(renew().getVerdict()).isEqualTo(JoinAnswer.Verdict.WAITING);
  }

  @Test
  void hostileRequestsToJoinAreRefusedAndCounted() throws Exception {
    String code = invite();
    double before = refused();
    List<JoinRequest.Builder> hostile =
        List.of(
            joining("\0"),
            joining("x".repeat(10_000)),
            joining(code).setSnaptId("a b"),
            joining(code).setReportKey(ByteString.EMPTY),
            joining(code).setCertificateRequest(""),
            joining(code).setCertificateRequest(REQUEST.replace("AAAA", "A\0A")),
            joining(code).setCertificateRequest(REQUEST.replace("AAAA", "A".repeat(20_000))));
    for (JoinRequest.Builder each : hostile) {
      assertThat(verdict(each)).isEqualTo(JoinAnswer.Verdict.CODE_REFUSED);
    }
    assertThat(refused() - before).isEqualTo(hostile.size());
    assertThat(verdict(joining(code)))
        .as("the code is not used")
        .isEqualTo(JoinAnswer.Verdict.WAITING);
  }

  private static double refused() {
    return billing
        .parts
        .getBean(MeterRegistry.class)
        .get("viaduct_enrolment_refused")
        .tag("reason", "code_refused")
        .counter()
        .count();
  }
}
