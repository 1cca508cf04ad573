package io.viaduct.billing.radius;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.viaduct.billing.BillingApplication;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.access.AccessRecord;
import io.viaduct.billing.access.AccessSessions;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.radius.accounting.AccountingRecord;
import io.viaduct.radius.accounting.AccountingRecord.Kind;
import io.viaduct.radius.client.AccountingClient;
import io.viaduct.radius.client.ClientSettings;
import io.viaduct.radius.client.UnansweredException;
import io.viaduct.radius.dictionary.Dictionary;
import io.viaduct.radius.message.AttributesBuilder;
import io.viaduct.radius.message.RadiusPacket;
import io.viaduct.radius.message.SharedSecret;
import io.viaduct.radius.server.AccountingServer;
import io.viaduct.radius.server.NasClient;
import io.viaduct.radius.server.ServerSettings;
import io.viaduct.radius.statistics.RadiusStatistics;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.UsageReport;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Records of posted reports at a RADIUS server, and records of an access network here.
@Timeout(120)
class RadiusAccountingTest {
  private static final String SECRET = "a secret of two ends";
  private static final Dictionary DICTIONARY = Dictionary.standard();

  private static final ManualClock CLOCK = new ManualClock();
  private static DatagramSocket holder;
  private static InetSocketAddress serverAddress;
  private static RunningBilling billing;
  private static ManagedChannel bridge;
  private static String operator;

  private final List<AccountingRecord> records = new CopyOnWriteArrayList<>();
  private final String alice = "alice-" + UUID.randomUUID().toString().substring(0, 8);
  private final String session = UUID.randomUUID().toString();
  private AccountingServer server;
  private AccountingClient nas;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    // The port is free on another address, and held there: no other process gets it meanwhile.
    holder = new DatagramSocket(new InetSocketAddress("127.0.0.3", 0));
    serverAddress =
        new InetSocketAddress(InetAddress.getByName("127.0.0.2"), holder.getLocalPort());
    Path secret = RunningBilling.secret(folder, "radius-secret", SECRET);
    billing =
        RunningBilling.start(
            folder,
            CLOCK,
            SharedDatabase.separate("radius_" + UUID.randomUUID().toString().replace("-", "")),
            """
            radius:
              port: 0
              clients: [{name: wifi, address: 127.0.0.1, secret-file: %1$s}]
              accounting:
                directory: %2$s
                servers: [{address: 127.0.0.2, port: %3$d, secret-file: %1$s}]
                timeout: 100ms
                attempts: 2
            """
                .formatted(secret, folder.resolve("radius"), serverAddress.getPort()));
    bridge = billing.channel("ims-bridge");
    operator = billing.operator();
  }

  @AfterAll
  static void stop() {
    bridge.shutdownNow();
    billing.close();
    holder.close();
  }

  @BeforeEach
  void open() throws Exception {
    billing.openAccount(operator, alice);
    nas = nas(SECRET);
  }

  @AfterEach
  void close() {
    nas.close();
    if (server != null) {
      server.close();
    }
  }

  private static AccountingClient nas(String secret) throws Exception {
    InetSocketAddress address =
        new InetSocketAddress(
            InetAddress.getByName("127.0.0.1"), BillingApplication.radiusPort(billing.parts));
    return AccountingClient.start(
        new ClientSettings(
            List.of(new ClientSettings.Server(address, new SharedSecret(secret))),
            Duration.ofMillis(500),
            3),
        DICTIONARY,
        new RadiusStatistics(),
        CLOCK);
  }

  private void startServer() throws Exception {
    server =
        AccountingServer.start(
            new ServerSettings(
                serverAddress,
                List.of(
                    new NasClient(
                        "billing", InetAddress.getByName("127.0.0.1"), new SharedSecret(SECRET))),
                10,
                Duration.ofSeconds(30),
                100),
            DICTIONARY,
            (_, record) -> {
              records.add(record);
              return CompletableFuture.completedFuture(null);
            },
            new RadiusStatistics(),
            CLOCK);
  }

  private UsageReport report(long sequence, boolean isLast) {
    UsageReport report =
        Reports.report(
                "snapt-radius",
                session,
                1,
                sequence,
                alice,
                CLOCK.instant(),
                Reports.workedExample())
            .setLast(isLast)
            .build();
    assertThat(
            MediationGrpc.newBlockingStub(bridge)
                .submit(Reports.request(CLOCK.instant(), List.of(report)))
                .getAcks(0)
                .getVerdict())
        .isEqualTo(ReportVerdict.POSTED);
    CLOCK.advance(Duration.ofMinutes(1));
    return report;
  }

  @Test
  void aSessionIsRecordedAtAServerThatWasAwayFromItsFirstReportToItsLast() throws Exception {
    report(0, false);
    report(1, true);
    await().until(() -> billing.counter("viaduct_radius_queue ") >= 3);
    await().until(() -> billing.counter("viaduct_radius_events_total{kind=\"unanswered\"") > 0);
    assertThat(records).isEmpty();
    startServer();
    await()
        .untilAsserted(() ->
            assertThat(own())
                .extracting(AccountingRecord::kind)
                .containsExactly(Kind.START, Kind.INTERIM_UPDATE, Kind.STOP));
    List<AccountingRecord> own = own();
    assertThat(own.getFirst().session()).matches("[0-9a-f]{16}");
    assertThat(own).extracting(AccountingRecord::session).containsOnly(own.getFirst().session());
    assertThat(own.getFirst().octetsUp()).isZero();
    assertThat(own.get(1).octetsUp()).isEqualTo(850_000 + 475_000);
    assertThat(own.get(2).octetsUp()).as("since the begin").isEqualTo(2 * (850_000 + 475_000));
    assertThat(own.get(2).octetsDown()).isEqualTo(2 * (1_700_000 + 950_000));
    assertThat(own.get(2).lasted()).isEqualTo(Duration.ofMinutes(2));
    assertThat(own.get(2).at()).isAfter(own.get(1).at());
    assertThat(own.get(2).cause()).isEqualTo("User-Request");
  }

  private List<AccountingRecord> own() {
    return records.stream().filter(record -> record.user().equals(alice + "@ims.test")).toList();
  }

  private RadiusPacket record(String status, String user, String name, long up, long down) {
    return new RadiusPacket(
        RadiusPacket.ACCOUNTING_REQUEST,
        0,
        new AttributesBuilder(DICTIONARY)
            .add("Acct-Status-Type", status)
            .add("Acct-Session-Id", name)
            .add("User-Name", user)
            .add("NAS-Identifier", "ap-" + alice)
            .add("Calling-Station-Id", "02-00-00-00-00-01")
            .add("Event-Timestamp", CLOCK.instant())
            .octets("Input", up)
            .octets("Output", down)
            .build());
  }

  private RadiusPacket stopWithoutTime(String name, long up) {
    return new RadiusPacket(
        RadiusPacket.ACCOUNTING_REQUEST,
        0,
        new AttributesBuilder(DICTIONARY)
            .add("Acct-Status-Type", "Stop")
            .add("Acct-Session-Id", name)
            .add("User-Name", alice)
            .add("NAS-Identifier", "ap-" + alice)
            .octets("Input", up)
            .octets("Output", 1)
            .build());
  }

  private void send(RadiusPacket record) throws Exception {
    nas.send(record).get(30, TimeUnit.SECONDS);
  }

  private JsonNode sessions() throws Exception {
    return billing
        .get(
            "/api/v1/accounts/" + alice + "/access-sessions",
            billing.logIn(alice, "password-of-" + alice))
        .body()
        .get("accessSessions");
  }

  @Test
  void aUserSeesASessionOfAnAccessNetworkBesideTheReportsOfItsTime() throws Exception {
    CLOCK.advance(Duration.ofMinutes(2));
    send(record("Start", alice, "a1", 0, 0));
    CLOCK.advance(Duration.ofMinutes(1));
    UsageReport report = report(0, true);
    send(record("Interim-Update", alice + "@ims.test", "a1", 5_000_000_000L, 10));
    CLOCK.advance(Duration.ofMinutes(1));
    RadiusPacket stop = record("Stop", alice, "a1", 5_000_000_001L, 20);
    send(stop);
    send(stop); // another packet with the same content
    send(record("Interim-Update", alice, "a1", 17, 17)); // late, counts only grow
    assertThat(sessions()).hasSize(1);
    JsonNode session = sessions().get(0);
    assertThat(session.get("network").asString()).isEqualTo("wifi");
    assertThat(session.get("device").asString()).isEqualTo("02-00-00-00-00-01");
    assertThat(session.get("upBytes").asString()).isEqualTo("5000000001");
    assertThat(session.get("downBytes").asString()).isEqualTo("20");
    assertThat(session.get("endedBy").asString()).isEqualTo("Stop");
    assertThat(session.get("tunnelBytes").asString())
        .isEqualTo(Long.toString(report.getPostBytes()));
    assertThat(session.get("comparison").asString()).isEqualTo("within");
  }

  @Test
  void moreBytesOfSnaptsThanTheNetworkHasCarriedAreShown() throws Exception {
    CLOCK.advance(Duration.ofMinutes(2));
    send(record("Start", alice, "b1", 0, 0));
    assertThat(sessions().get(0).get("comparison").asString()).isEqualTo("open");
    CLOCK.advance(Duration.ofMinutes(1));
    report(0, true);
    send(record("Stop", alice, "b1", 100, 100));
    assertThat(sessions().get(0).get("comparison").asString()).isEqualTo("above");
  }

  @Test
  void theNameOfASessionThatHasEndedMayComeAgain() throws Exception {
    send(record("Start", alice, "c1", 0, 0));
    send(record("Stop", alice, "c1", 1, 1));
    CLOCK.advance(Duration.ofMinutes(1));
    send(record("Start", alice, "c1", 0, 0));
    assertThat(sessions()).hasSize(2);
    send(
        new RadiusPacket(
            RadiusPacket.ACCOUNTING_REQUEST,
            0,
            new AttributesBuilder(DICTIONARY)
                .add("Acct-Status-Type", "Accounting-On")
                .add("NAS-Identifier", "ap-" + alice)
                .build()));
    assertThat(sessions().get(0).get("endedBy").asString()).isEqualTo("NAS-Reboot");
    assertThat(sessions().get(1).get("endedBy").asString()).isEqualTo("Stop");
  }

  @Test
  void aStopWithoutATimeThatComesAgainLaterIsTheSameEnd() throws Exception {
    send(record("Start", alice, "f1", 0, 0));
    CLOCK.advance(Duration.ofMinutes(1));
    send(stopWithoutTime("f1", 500));
    String end = sessions().get(0).get("endedAt").asString();
    CLOCK.advance(Duration.ofMinutes(10));
    send(stopWithoutTime("f1", 500));
    assertThat(sessions()).hasSize(1);
    assertThat(sessions().get(0).get("endedAt").asString()).isEqualTo(end);
    assertThat(sessions().get(0).get("upBytes").asString()).isEqualTo("500");
  }

  private void store(String name, Instant at, Duration lasted, long up, String endedBy) {
    billing
        .parts
        .getBean(AccessSessions.class)
        .store(
            new AccessRecord(
                new AccessRecord.Key("wifi", "ap-" + alice, name),
                alice,
                "",
                "",
                at,
                lasted,
                up,
                1,
                endedBy));
  }

  @Test
  void aRepeatedStopThatSeemsToBeWeeksLaterChangesNothing() throws Exception {
    Instant end = CLOCK.instant();
    store("g1", end, Duration.ofMinutes(1), 500, "User-Request");
    CLOCK.advance(Duration.ofMinutes(5));
    report(0, true);
    store("g1", end.plus(Duration.ofDays(21)), Duration.ofMinutes(1), 500, "User-Request");
    assertThat(sessions()).hasSize(1);
    assertThat(sessions().get(0).get("endedAt").asString()).isEqualTo(end.toString());
    assertThat(sessions().get(0).get("tunnelBytes").asString())
        .as("of reports after the end")
        .isEqualTo("0");
  }

  @Test
  void aStopOfALaterSessionWhoseStartWasLostIsASessionOfItsOwn() throws Exception {
    Instant end = CLOCK.instant();
    store("h1", end, Duration.ofMinutes(1), 500, "User-Request");
    Instant later = end.plus(Duration.ofDays(21));
    store("h1", later, Duration.ofMinutes(2), 700, "Lost-Carrier");
    assertThat(sessions()).hasSize(2);
    assertThat(sessions().get(0).get("startedAt").asString())
        .isEqualTo(later.minus(Duration.ofMinutes(2)).toString());
    assertThat(sessions().get(0).get("upBytes").asString()).isEqualTo("700");
    assertThat(sessions().get(1).get("endedAt").asString()).isEqualTo(end.toString());
    assertThat(sessions().get(1).get("upBytes").asString()).isEqualTo("500");
  }

  @Test
  void aStopOfASessionThatSeemedToHaveEndedEarlierIsOfThatSession() throws Exception {
    Instant heard = CLOCK.instant();
    store("i1", heard, Duration.ofMinutes(1), 500, "NAS-Reboot");
    store("i1", heard.plus(Duration.ofMinutes(3)), Duration.ofMinutes(4), 700, "User-Request");
    assertThat(sessions()).hasSize(1);
    assertThat(sessions().get(0).get("endedBy").asString()).isEqualTo("NAS-Reboot");
    assertThat(sessions().get(0).get("upBytes").asString()).isEqualTo("700");
  }

  @Test
  void aRecordOfAnUnknownUserIsAnsweredAndCountedAndAForeignSecretIsNot() throws Exception {
    send(record("Start", "nobody-" + alice, "d1", 0, 0));
    send(record("Start", alice + "@elsewhere.test", "d2", 0, 0));
    assertThat(billing.counter("viaduct_access_records_total{result=\"unknown_user\""))
        .isGreaterThanOrEqualTo(2);
    try (AccountingClient stranger = nas("guessed")) {
      assertThatThrownBy(
              () -> stranger.send(record("Start", alice, "d3", 0, 0)).get(30, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(UnansweredException.class);
    }
    assertThat(billing.counter("viaduct_radius_dropped_total{reason=\"bad_authenticator\""))
        .isEqualTo(3);
    assertThat(sessions()).isEmpty();
  }

  @Test
  void sessionsAreForgottenAfterTheMonthsOfPersonalData() throws Exception {
    AccessSessions kept = billing.parts.getBean(AccessSessions.class);
    send(record("Start", alice, "e1", 0, 0));
    kept.forget(0, CLOCK.instant().plus(Duration.ofDays(4000)));
    kept.forget(2, CLOCK.instant().plus(Duration.ofDays(50)));
    assertThat(sessions()).hasSize(1);
    kept.forget(2, CLOCK.instant().plus(Duration.ofDays(100)));
    assertThat(sessions()).isEmpty();
  }
}
