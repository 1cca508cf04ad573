package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.service.logging.CapturedLog;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SubmitRequest;
import io.viaduct.usage.v1.UsageReport;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class MediationEndpointTest {
  private static final ManualClock CLOCK = new ManualClock();
  @TempDir private static Path folder;
  private static RunningBilling billing;

  @BeforeAll
  static void start() throws Exception {
    billing = RunningBilling.start(folder, CLOCK);
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  private static ManagedChannel channel(TlsMaterial tls) throws Exception {
    return billing.channel(tls);
  }

  private static List<ReportAck> submit(ManagedChannel channel, UsageReport... reports)
      throws Exception {
    return MediationCalls.submit(channel, CLOCK.instant(), reports);
  }

  private static List<ReportAck> asBridge(UsageReport... reports) throws Exception {
    return MediationCalls.asBridge(billing, CLOCK.instant(), reports);
  }

  private static UsageReport worked(String snapt, String account) {
    return Reports.report(
            snapt,
            UUID.randomUUID().toString(),
            1,
            0,
            account,
            CLOCK.instant(),
            Reports.workedExample())
        .build();
  }

  @Test
  void theBridgesReportIsChargedShownAndStreamed() throws Exception {
    String id = "ivan-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(billing.operator(), id);
    String token = billing.logIn(id, "password-of-" + id);
    HttpResponse<Stream<String>> stream =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(billing.uri("/api/v1/accounts/" + id + "/events"))
                    .header("Authorization", "Bearer " + token)
                    .build(),
                HttpResponse.BodyHandlers.ofLines());
    UsageReport report = worked("snapt-acme", id);
    assertThat(asBridge(report))
        .extracting(ReportAck::getVerdict)
        .containsExactly(ReportVerdict.POSTED);
    assertThat(asBridge(report))
        .extracting(ReportAck::getVerdict)
        .containsExactly(ReportVerdict.ALREADY_POSTED);
    JsonNode charges =
        billing.get("/api/v1/accounts/" + id + "/charges", token).body().get("charges");
    assertThat(charges).hasSize(2);
    JsonNode video = charges.get(1);
    assertThat(video.get("application").asString()).isEqualTo("skype-video");
    assertThat(video.get("chargeMicrodenarii").asString()).isEqualTo("13510279");
    assertThat(video.get("savedBytes").asString()).isEqualTo("1530000");
    assertThat(video.get("savedPercent").asDouble()).isEqualTo(60.0);
    assertThat(video.get("state").asString()).isEqualTo("corrected");
    assertThat(video.get("limitedBy").asString()).isEqualTo("PRICE");
    assertThat(video.get("device").asString()).matches("[A-Za-z0-9_-]{43}");
    assertThat(billing.get("/api/v1/charges/" + video.get("id").asString(), token).body())
        .isEqualTo(video);
    assertThat(
            billing
                .get("/api/v1/accounts/" + id + "/charges?application=skype-video&limit=1", token)
                .body()
                .get("charges"))
        .hasSize(1);
    assertThat(
            billing
                .get("/api/v1/accounts/" + id + "/balance", token)
                .body()
                .get("postedMicrodenarii")
                .asString())
        .isEqualTo("-34348658");
    try (Stream<String> lines = stream.body()) {
      assertThat(lines.filter(l -> l.startsWith("event:") || l.startsWith("data:")).limit(8))
          .contains("event:charge")
          .anyMatch(l -> l.contains("\"postedMicrodenarii\":\"-34348658\""));
    }
  }

  @Test
  void aChargeNamesTheLinkThatItsReportNames() throws Exception {
    String id = "lena-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(billing.operator(), id);
    String token = billing.logIn(id, "password-of-" + id);
    UsageReport.Builder report = worked("snapt-acme", id).toBuilder();
    report.setFlows(0, report.getFlows(0).toBuilder().setLink("rmnet_data0"));
    assertThat(asBridge(report.build()).getFirst().getVerdict()).isEqualTo(ReportVerdict.POSTED);
    String path = "/api/v1/accounts/" + id + "/charges";
    JsonNode all = billing.get(path, token).body().get("charges");
    assertThat(all.get(0).get("link").isNull()).as("a SNAPT of the version before").isTrue();
    assertThat(all.get(1).get("link").asString()).isEqualTo("rmnet_data0");
    JsonNode one = billing.get(path + "?link=rmnet_data0", token).body().get("charges");
    assertThat(one).containsExactly(all.get(1));
    assertThat(billing.get(path + "?link=wlan0", token).body().get("charges")).isEmpty();
    String charge = one.get(0).get("id").asString();
    assertThat(
            billing
                .get("/api/v1/charges/" + charge + "/explain", token)
                .body()
                .at("/explanation/link")
                .asString())
        .isEqualTo("rmnet_data0");
    HttpResponse<String> file =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(billing.uri(path + ".csv?link=rmnet_data0"))
                    .header("Authorization", "Bearer " + token)
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(file.body().lines().findFirst().orElseThrow())
        .endsWith(",device,link,carriedByCall,passedBy,paidBy,revision");
    assertThat(file.body().lines().skip(1))
        .singleElement()
        .asString()
        .matches(".*,rmnet_data0,,[^,]+,[^,]*,0");
  }

  @Test
  void anotherUsersChargeIsNotFound() throws Exception {
    String operator = billing.operator();
    String id = "judy-" + UUID.randomUUID().toString().substring(0, 8);
    String other = "mallory-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, id);
    billing.openAccount(operator, other);
    asBridge(worked("snapt-acme", id));
    String charge =
        billing
            .get("/api/v1/accounts/" + id + "/charges", operator)
            .body()
            .at("/charges/0/id")
            .asString();
    String token = billing.logIn(other, "password-of-" + other);
    assertThat(billing.get("/api/v1/charges/" + charge, token).status()).isEqualTo(404);
    assertThat(billing.get("/api/v1/charges/" + charge, operator).status()).isEqualTo(200);
  }

  @Test
  void aCertificateWithAnotherNameIsRefusedAndCounted() throws Exception {
    String line = "viaduct_peers_refused_total{reason=\"wrong_name\"}";
    double before = billing.counter(line);
    ManagedChannel snapt = channel(TlsMaterial.load(billing.authority.issue("snapt-1")));
    assertThatThrownBy(() -> submit(snapt, worked("snapt-acme", "nobody-here")))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.PERMISSION_DENIED));
    assertThat(billing.counter(line)).isEqualTo(before + 1);
  }

  @Test
  void aCertificateOfAnotherAuthorityIsRefusedAndCounted() throws Exception {
    String line = "viaduct_peers_refused_total{reason=\"untrusted_certificate\"}";
    double before = billing.counter(line);
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    TlsMaterial forged = new TestAuthority(elsewhere).material("ims-bridge");
    TlsMaterial ours = TlsMaterial.load(billing.authority.issue("ims-bridge"));
    ManagedChannel channel =
        channel(new TlsMaterial(forged.chain(), forged.key(), ours.authorities()));
    try (CapturedLog said = CapturedLog.of("io.viaduct.service.tls")) {
      assertThatThrownBy(() -> submit(channel, worked("snapt-acme", "nobody-here")))
          .isInstanceOf(StatusRuntimeException.class);
      assertThat(said.lines(""))
          .singleElement()
          .asString()
          .startsWith("gRPC for the bridge: TLS with 127.0.0.1:")
          .contains("not signed by an authority that is trusted here")
          .hasLineCount(1);
    }
    Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> billing.counter(line) > before);
  }

  @Test
  void aClientWithoutCertificateIsRefusedAndCounted() throws Exception {
    String line = "viaduct_peers_refused_total{reason=\"no_certificate\"}";
    double before = billing.counter(line);
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("localhost", billing.grpcPort())
            .sslContext(
                GrpcSslContexts.forClient().trustManager(folder.resolve("ca.pem").toFile()).build())
            .build();
    assertThatThrownBy(() -> submit(channel, worked("snapt-acme", "nobody-here")))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED));
    assertThat(billing.counter(line)).isEqualTo(before + 1);
  }

  @Test
  void aRequestOfTooManyReportsIsRefusedWhole() throws Exception {
    ManagedChannel channel = channel(TlsMaterial.load(billing.authority.issue("ims-bridge")));
    SubmitRequest.Builder request = SubmitRequest.newBuilder();
    for (int i = 0; i < 257; i++) {
      request.addReports(SignedUsageReport.getDefaultInstance());
    }
    try {
      assertThatThrownBy(() -> MediationGrpc.newBlockingStub(channel).submit(request.build()))
          .hasMessageContaining("at most 256");
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void aRefusedReportIsShownToTheOperatorWithItsReason() throws Exception {
    String snapt = "snapt-" + UUID.randomUUID().toString().substring(0, 8);
    ReportAck ack =
        asBridge(worked(snapt, "nobody-here").toBuilder().setPreBytes(1).build()).getFirst();
    assertThat(ack.getVerdict()).isEqualTo(ReportVerdict.REJECTED);
    assertThat(ack.getReason()).startsWith("SUM_MISMATCH: ");
    String list = "/api/v1/reports/refused?snapt=" + snapt;
    JsonNode refused = billing.get(list, billing.operator()).body().get("refused");
    assertThat(refused).hasSize(1);
    assertThat(refused.get(0).get("reason").asString()).isEqualTo("SUM_MISMATCH");
    assertThat(billing.get(list + "&reason=CONFLICT", billing.operator()).body().get("refused"))
        .isEmpty();
  }
}
