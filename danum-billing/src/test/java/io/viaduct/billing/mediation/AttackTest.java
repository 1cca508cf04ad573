package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.usage.ProvenReport;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedReceipt;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Sends forged reports of an enrolled SNAPT through a bridge that checks nothing, over gRPC to a
/// complete billing. Billing must repeat all checks. Held reports are decided over REST.
@Timeout(180)
class AttackTest {
  private static final ManualClock CLOCK = new ManualClock();
  private static RunningBilling billing;
  private static ManagedChannel channel;
  private static String operator;
  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private final String victim = "victim-" + tag;
  private final String snapt = "snapt-" + tag;
  private final ProvenReport proven = Reports.PROVEN;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing =
        RunningBilling.start(
            folder,
            CLOCK,
            """
            charge-bound: 50
            unsigned: {bound-per-account: 30, decide-after: 2h}
            """);
    channel = billing.channel("ims-bridge");
    operator = billing.operator();
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    billing.close();
  }

  @BeforeEach
  void open() throws Exception {
    billing.openAccount(operator, victim);
  }

  private ReportAck submit(SignedUsageReport envelope) {
    return MediationGrpc.newBlockingStub(channel)
        .withDeadlineAfter(60, TimeUnit.SECONDS)
        .submit(Reports.requestOf(CLOCK.instant(), List.of(envelope)))
        .getAcks(0);
  }

  private UsageReport.Builder report(List<FlowUsage> flows) {
    return Reports.report(
        snapt, UUID.randomUUID().toString(), 1, 0, victim, CLOCK.instant(), flows);
  }

  private UsageReport.Builder cheap() {
    return report(List.of(Reports.flow(1, "ssh", 60_000, 30_000, 20)));
  }

  private long balance() throws Exception {
    return Long.parseLong(
        billing
            .get("/api/v1/accounts/" + victim + "/balance", operator)
            .body()
            .get("postedMicrodenarii")
            .asString());
  }

  private static List<FlowUsage> flows(int count, long durationMs) {
    List<FlowUsage> flows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      flows.add(
          Reports.flow(i, "skype-video", 2_550_000, 1_020_000, 140).toBuilder()
              .setDurationMs(durationMs)
              .build());
    }
    return flows;
  }

  private Map<String, SignedUsageReport> inventions() {
    UsageReport good = cheap().build();
    UsageReport another = cheap().build();
    UsageReport long600 = report(flows(1, 600_000)).build();
    UsageReport ofOneSecond = long600.toBuilder().setStartMs(long600.getEndMs() - 1000).build();
    UsageReport.Builder zero = cheap();
    zero.setStartMs(zero.getEndMs());
    // 10 Gbit/s in 60.2 s are 75.25 GB.
    UsageReport.Builder fast = report(List.of(huge(75_250_000_001L)));
    KeyPair device = ProvenReport.keyPair();
    ByteString garbage = ByteString.copyFrom(new byte[] {(byte) 0xff, 1, 2});
    Map<String, SignedUsageReport> inventions = new LinkedHashMap<>();
    inventions.put("FLOW_OVER_INTERVAL", proven.complete(ofOneSecond));
    inventions.put("EMPTY_INTERVAL", proven.complete(zero.build()));
    inventions.put("OVER_LINE_RATE", proven.complete(fast.build()));
    inventions.put("SEQUENCE_JUMP", proven.complete(cheap().setSequence(1L << 50).build()));
    inventions.put(
        "TOKEN_FORGED",
        proven.complete(good).toBuilder()
            .setToken(proven.signed(proven.token(good).getToken(), ProvenReport.keyPair()))
            .build());
    inventions.put(
        "TOKEN_OF_OTHER_SESSION",
        proven.complete(good).toBuilder()
            .setToken(proven.token(good, t -> t.setAccount("mallory")))
            .build());
    inventions.put(
        "TOKEN_OF_OTHER_AUDIENCE",
        proven.complete(good).toBuilder()
            .setToken(proven.token(good, t -> t.setAudience("others")))
            .build());
    inventions.put(
        "TOKEN_NOT_VALID_THEN",
        proven.complete(good).toBuilder()
            .setToken(proven.token(good, t -> t.setExpiresMs(good.getStartMs() - 60_000)))
            .build());
    inventions.put(
        "TOKEN_MALFORMED",
        proven.complete(good).toBuilder()
            .setToken(proven.token(good, t -> t.clearDeviceKey()))
            .build());
    inventions.put(
        "RECEIPT_FORGED",
        proven.complete(good).toBuilder().setReceipt(proven.otherDevice().receipt(good)).build());
    inventions.put(
        "RECEIPT_OF_OTHER_INTERVAL",
        proven.complete(good).toBuilder().setReceipt(proven.receipt(another)).build());
    inventions.put(
        "RECEIPT_OF_OTHER_COUNTS",
        proven.complete(good).toBuilder()
            .setReceipt(proven.receipt(good, r -> r.setUpBytes(0)))
            .build());
    inventions.put(
        "RECEIPT_MALFORMED",
        proven.unsigned(good).toBuilder()
            .setToken(proven.token(good, t -> t.setDeviceKey(ProvenReport.raw(device))))
            .setReceipt(
                SignedReceipt.newBuilder()
                    .setReceipt(garbage)
                    .setSignature(SignedMessage.RECEIPT.sign(device.getPrivate(), garbage)))
            .build());
    return inventions;
  }

  private static FlowUsage huge(long bytes) {
    return Reports.flow(1, "web", 0, 0, 20).toBuilder()
        .setUp(DirectionUsage.newBuilder())
        .setDown(DirectionUsage.newBuilder().setPreBytes(bytes).setPostBytes(bytes))
        .build();
  }

  @Test
  void everyForgedReportIsRefusedCountedAndShownPerSnapt() throws Exception {
    Map<String, SignedUsageReport> inventions = inventions();
    for (Map.Entry<String, SignedUsageReport> invention : inventions.entrySet()) {
      String reason = invention.getKey();
      String counter =
          "viaduct_reports_refused_total{reason=\""
              + reason.toLowerCase(java.util.Locale.ROOT)
              + "\"}";
      double before = billing.counter(counter);
      ReportAck ack = submit(invention.getValue());
      assertThat(ack.getReason()).startsWith(reason + ": ");
      assertThat(ack.getVerdict()).isEqualTo(ReportVerdict.REJECTED);
      assertThat(billing.counter(counter)).isEqualTo(before + 1);
      assertThat(
              billing
                  .get("/api/v1/reports/refused?snapt=" + snapt + "&reason=" + reason, operator)
                  .body()
                  .get("refused"))
          .hasSize(1);
      assertThat(billing.get("/api/v1/reports/counts", operator).body().toString())
          .contains(
              "{\"snapt\":\"%s\",\"what\":\"REFUSED\",\"reason\":\"%s\",\"reports\":1}"
                  .formatted(snapt, reason));
    }
    assertThat(billing.paged("/api/v1/reports/counts", operator, "counts", "reason"))
        .hasSameSizeAs(billing.get("/api/v1/reports/counts", operator).body().get("counts"))
        .containsAll(inventions.keySet());
    assertThat(balance()).isZero();
    assertThat(billing.get("/api/v1/reports/gaps?limit=500", operator).body().toString())
        .doesNotContain(snapt);
  }

  @Test
  void aReportAboveTheLineRateThatTheSnaptIsEnrolledWithIsRefused() throws Exception {
    SignedUsageReport report = proven.complete(report(List.of(huge(752_501))).build());
    assertThat(
            billing
                .call(
                    "PUT",
                    "/api/v1/snapts/" + snapt,
                    operator,
                    "{\"reportKey\":\"%s\",\"owner\":\"acme\",\"lineRate\":100000}"
                        .formatted(
                            Base64.getEncoder()
                                .encodeToString(
                                    ProvenReport.raw(ProvenReport.keyPair()).toByteArray())),
                    Map.of())
                .status())
        .isEqualTo(201);
    assertThat(submit(report).getReason()).startsWith("OVER_LINE_RATE: "); // 752,500 in 60.2 s
    assertThat(submit(proven.complete(report(List.of(huge(752_500))).build())).getReason())
        .doesNotContain("OVER_LINE_RATE");
  }

  @Test
  void nineHundredFlowsThatEvenTheDeviceSignedWaitForTheOperator() throws Exception {
    ReportAck ack = submit(proven.complete(report(flows(900, 60_000)).build()));
    assertThat(ack.getVerdict()).isEqualTo(ReportVerdict.HELD);
    assertThat(ack.getReason()).startsWith("OVER_CHARGE_BOUND: ");
    assertThat(balance()).isZero();
    JsonNode held = held("OVER_CHARGE_BOUND");
    assertThat(held.get("chargeMicrodenarii").asString()).isEqualTo("12159251100");
    Answer discarded = decide("held", held, "discard");
    assertThat(discarded.body().get("state").asString()).isEqualTo("discarded");
    assertThat(discarded.body().get("decidedBy").asString()).isEqualTo("operator");
    assertThat(decide("held", held, "release").problem()).isEqualTo("already-decided");
    assertThat(balance()).isZero();
  }

  @Test
  void nineHundredFlowsWithAForeignTokenAreHeldWithoutReceipt() throws Exception {
    UsageReport invented = report(flows(900, 60_000)).build();
    assertThat(submit(proven.unsigned(invented)).getVerdict()).isEqualTo(ReportVerdict.PROVISIONAL);
    assertThat(balance()).isZero();
    assertThat(held("OVER_CHARGE_BOUND").get("receiptOwed").asBoolean()).isTrue();
  }

  @Test
  void aReportOfAnAccountThatIsOpenedLaterIsReleasedAndCharged() throws Exception {
    String late = "late-" + tag;
    SignedUsageReport report = proven.complete(cheap().setAccount(late).build());
    assertThat(submit(report).getVerdict()).isEqualTo(ReportVerdict.HELD);
    JsonNode held = held("UNKNOWN_ACCOUNT");
    Answer still = decide("held", held, "release");
    assertThat(still.body().get("outcome").asString()).isEqualTo("held");
    assertThat(still.body().get("reason").asString()).isEqualTo("UNKNOWN_ACCOUNT");
    billing.openAccount(operator, late);
    assertThat(decide("held", held, "release").body().get("outcome").asString())
        .isEqualTo("posted");
    assertThat(billing.get("/api/v1/accounts/" + late + "/charges", operator).body().get("charges"))
        .hasSize(1);
    assertThat(submit(report).getVerdict()).isEqualTo(ReportVerdict.ALREADY_POSTED);
  }

  @Test
  void anUnsignedChargeIsDecidedAfterItsTimeAndAVoidOneIsShown() throws Exception {
    assertThat(submit(proven.unsigned(cheap().build())).getVerdict())
        .isEqualTo(ReportVerdict.PROVISIONAL);
    assertThat(balance()).isNegative();
    String list = "/api/v1/reports/unsigned?account=" + victim;
    JsonNode early = billing.get(list + "&due=false", operator).body().get("unsigned").get(0);
    assertThat(early.get("due").asBoolean()).isFalse();
    assertThat(decide("unsigned", early, "void").problem()).isEqualTo("not-due");
    assertThat(billing.get(list, operator).body().get("unsigned")).isEmpty();
    CLOCK.advance(Duration.ofHours(2));
    JsonNode due = billing.get(list, operator).body().get("unsigned").get(0);
    assertThat(decide("unsigned", due, "void").body().get("outcome").asString())
        .isEqualTo("voided");
    assertThat(decide("unsigned", due, "accept").problem()).isEqualTo("already-decided");
    assertThat(balance()).isZero();
    assertThat(
            billing
                .get("/api/v1/accounts/" + victim + "/charges", operator)
                .body()
                .at("/charges/0/state")
                .asString())
        .isEqualTo("void");
    assertThat(billing.get("/api/v1/accounts/" + victim + "/postings", operator).body().toString())
        .contains("\"REVERSAL\"");
    assertThat(billing.get("/api/v1/ledger/verification", operator).body().get("holds").asBoolean())
        .isTrue();
  }

  @Test
  void onlyAnOperatorDecidesAndMustGiveAReason() throws Exception {
    String token = billing.logIn(victim, "password-of-" + victim);
    for (String list : List.of("held", "unsigned", "counts", "refused")) {
      assertThat(billing.get("/api/v1/reports/" + list, token).problem()).isEqualTo("forbidden");
    }
    submit(proven.complete(cheap().setAccount("nobody-" + tag).build()));
    JsonNode held = held("UNKNOWN_ACCOUNT");
    String path = "/api/v1/reports/held/" + held.get("id").asString() + "/discard";
    assertThat(billing.post(path, token, "{\"reason\":\"mine\"}").problem()).isEqualTo("forbidden");
    assertThat(billing.post(path, operator, "{\"reason\":\" \"}").problem())
        .isEqualTo("invalid-request");
    assertThat(billing.post(path, operator, "{}").problem()).isEqualTo("invalid-request");
    assertThat(
            billing
                .post("/api/v1/reports/held/999999999/release", operator, "{\"reason\":\"x\"}")
                .status())
        .isEqualTo(404);
    assertThat(billing.get("/api/v1/reports/held?state=lost", operator).problem())
        .isEqualTo("invalid-request");
    assertThat(billing.get("/api/v1/reports/unsigned?refusal=lost", operator).problem())
        .isEqualTo("invalid-request");
    assertThat(billing.get("/api/v1/reports/unsigned?refusal=counts_differ", operator).status())
        .isEqualTo(200);
  }

  private JsonNode held(String reason) throws Exception {
    JsonNode list =
        billing
            .get("/api/v1/reports/held?snapt=" + snapt + "&reason=" + reason, operator)
            .body()
            .get("held");
    assertThat(list).hasSize(1);
    return list.get(0);
  }

  private static Answer decide(String list, JsonNode row, String verb) throws Exception {
    return billing.post(
        "/api/v1/reports/" + list + "/" + row.get("id").asString() + "/" + verb,
        operator,
        "{\"reason\":\"ticket 7\"}");
  }
}
