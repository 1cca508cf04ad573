package io.viaduct.billing.diameter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.viaduct.billing.BillingApplication;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.message.AvpGroup;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.peer.DiameterNode;
import io.viaduct.diameter.peer.NodeIdentity;
import io.viaduct.diameter.peer.NodeSettings;
import io.viaduct.diameter.peer.Nodes;
import io.viaduct.diameter.peer.PeerSettings;
import io.viaduct.usage.ChargingFunction;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Records of posted reports at a charging data function.
@Timeout(120)
class AccountingRecordsTest {
  private static final String CDF = "cdf.ims.test";
  private static final String NAMED = "named.ims.test";
  private static final String BILLING = "billing.ims.test";
  private static final int START = 2;
  private static final int INTERIM = 3;
  private static final int STOP = 4;
  private static final int QUEUE_MAX = 4;

  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();
  private final List<DiameterMessage> records = new CopyOnWriteArrayList<>();
  private final String session = UUID.randomUUID().toString();
  private ServerSocket holder;
  private InetSocketAddress address;
  private DiameterNode cdf;
  private RunningBilling billing;
  private ManagedChannel bridge;
  private boolean
      isBusy; // the charging data function answers the first copy of each record with 4002

  @BeforeEach
  void start() throws Exception {
    // The port is free on another address, and held there: no other process gets it meanwhile.
    holder = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.3"));
    address = new InetSocketAddress("127.0.0.2", holder.getLocalPort());
    billing =
        RunningBilling.start(
            folder,
            clock,
            SharedDatabase.separate("records_" + UUID.randomUUID().toString().replace("-", "")),
            """
            diameter:
              identity: %s
              realm: ims.test
              port: 0
              watchdog: 6s
              peers:
                - {host: %s, sources: [], address: 127.0.0.2, port: %d}
                - {host: %s, sources: [127.0.0.1]}
              rf: {directory: %s, realm: ims.test, queue-max: %d}
            """
                .formatted(
                    BILLING, CDF, address.getPort(), NAMED, folder.resolve("records"), QUEUE_MAX));
    bridge = billing.channel("ims-bridge");
    billing.openAccount(billing.operator(), "alice");
  }

  private void startCdf() throws Exception {
    cdf =
        DiameterNode.start(
            NodeIdentity.charging(CDF, "ims.test", List.of(address.getAddress()), 1),
            NodeSettings.standard(address, List.of(new PeerSettings(BILLING, null))),
            Dictionary.standard(),
            Map.of(NodeIdentity.ACCOUNTING, this::account));
  }

  private CompletableFuture<DiameterMessage> account(DiameterMessage request) {
    boolean isFirst = records.stream().noneMatch(known -> number(known) == number(request));
    int result = isBusy && isFirst ? 4002 : 2001;
    records.add(request);
    return CompletableFuture.completedFuture(Nodes.answer(request, CDF, result));
  }

  @AfterEach
  void stop() throws Exception {
    bridge.shutdownNow();
    billing.close();
    if (cdf != null) {
      cdf.close();
    }
    holder.close();
  }

  private void report(long sequence, boolean isLast) {
    report(sequence, isLast, List.of());
  }

  /// @param functions charging functions that the core has named
  private void report(long sequence, boolean isLast, List<String> functions) {
    UsageReport report =
        Reports.report(
                "snapt-rf", session, 1, sequence, "alice", clock.instant(), Reports.workedExample())
            .setLast(isLast)
            .build();
    SignedUsageReport envelope =
        Reports.signed(report).toBuilder()
            .setToken(
                Reports.PROVEN.token(
                    report,
                    token ->
                        token.addAllChargingFunctions(
                            functions.stream()
                                .flatMap(name -> ChargingFunction.digest(name).stream())
                                .toList())))
            .build();
    assertThat(
            MediationGrpc.newBlockingStub(bridge)
                .submit(Reports.requestOf(clock.instant(), List.of(envelope)))
                .getAcks(0)
                .getVerdict())
        .isEqualTo(ReportVerdict.POSTED);
    clock.advance(Duration.ofMinutes(1));
  }

  private static long number(DiameterMessage record) {
    return record.avps().number("Accounting-Record-Number").orElseThrow();
  }

  private List<Long> types() {
    return records.stream()
        .map(record -> record.avps().number("Accounting-Record-Type").orElseThrow())
        .toList();
  }

  private static List<AvpGroup> containers(DiameterMessage record) {
    return record
        .avps()
        .group("Service-Information")
        .flatMap(information -> information.group("PS-Information"))
        .map(ps -> ps.groups("Service-Data-Container").toList())
        .orElse(List.of());
  }

  @Test
  void aSessionIsRecordedFromItsFirstReportToItsLast() throws Exception {
    startCdf();
    report(0, false);
    report(1, false);
    report(2, true);
    await().untilAsserted(() -> assertThat(records).hasSize(4));
    assertThat(types()).containsExactly((long) START, (long) INTERIM, (long) INTERIM, (long) STOP);
    assertThat(records).extracting(AccountingRecordsTest::number).containsExactly(0L, 1L, 2L, 3L);
    assertThat(records)
        .map(r -> r.avps().text("Session-Id").orElseThrow())
        .containsOnly(records.getFirst().avps().text("Session-Id").orElseThrow());
    assertThat(records.getFirst().avps().text("User-Name")).hasValue("sip:alice@ims.test");
    assertThat(containers(records.getFirst())).isEmpty();
    AvpGroup used = containers(records.get(1)).getFirst();
    assertThat(used.number("Rating-Group")).hasValue(2);
    assertThat(used.number("Accounting-Input-Octets")).hasValue(850_000 + 475_000);
    assertThat(used.number("Accounting-Output-Octets")).hasValue(1_700_000 + 950_000);
    assertThat(used.number("Local-Sequence-Number")).hasValue(0);
    assertThat(containers(records.get(3)).getFirst().number("Local-Sequence-Number")).hasValue(2);
    assertThat(billing.counter("viaduct_accounting_records_total")).isEqualTo(4);
    await().until(() -> billing.counter("viaduct_diameter_queue ") == 0);
  }

  @Test
  void recordsWaitForACdfThatIsAwayAndKeepTheirOrderWhenItIsBusy() throws Exception {
    isBusy = true;
    report(0, false);
    report(1, true);
    await().until(() -> billing.counter("viaduct_accounting_records_total") == 3);
    assertThat(records).isEmpty();
    startCdf();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> billing.counter("viaduct_diameter_queue ") == 0);
    assertThat(records)
        .extracting(AccountingRecordsTest::number)
        .as("each record twice, one after the other")
        .containsExactly(0L, 0L, 1L, 1L, 2L, 2L);
    assertThat(records)
        .as("each copy was answered")
        .noneMatch(record -> record.header().retransmitted());
    assertThat(types().getLast()).isEqualTo(STOP);
  }

  @Test
  void moreRecordsThanTheQueueHoldsWaitInTheDatabaseAndNoneIsLostOrDoubled() throws Exception {
    for (int sequence = 0; sequence < 9; sequence++) {
      report(sequence, sequence == 8);
    }
    await().until(() -> billing.counter("viaduct_accounting_records_total") == QUEUE_MAX);
    startCdf();
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() ->
            assertThat(records)
                .extracting(AccountingRecordsTest::number)
                .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L));
    assertThat(types().getLast()).isEqualTo(STOP);
  }

  @Test
  void recordsGoToTheChargingFunctionThatTheCoreNamesIfItIsAPeer() throws Exception {
    startCdf();
    List<DiameterMessage> named = new CopyOnWriteArrayList<>();
    DiameterNode other =
        DiameterNode.start(
            NodeIdentity.charging(NAMED, "ims.test", List.of(InetAddress.getLoopbackAddress()), 1),
            NodeSettings.standard(
                null,
                List.of(
                    new PeerSettings(
                        BILLING, Nodes.loopback(BillingApplication.diameterPort(billing.parts))))),
            Dictionary.standard(),
            Map.of(
                NodeIdentity.ACCOUNTING,
                request -> {
                  named.add(request);
                  return CompletableFuture.completedFuture(Nodes.answer(request, NAMED, 2001));
                }));
    try {
      await().until(() -> other.takes(NodeIdentity.ACCOUNTING).get());
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> billing.counter("viaduct_diameter_events_total{kind=\"connected\"") >= 2);
      report(0, false, List.of("elsewhere.ims.test", "aaa://" + NAMED + ":3868;transport=tcp"));
      await().untilAsserted(() -> assertThat(named).hasSize(2));
      // The function of a session stays the same, also when no report tells it any more.
      report(1, false);
      clock.advance(Duration.ofHours(25));
      await().untilAsserted(() -> assertThat(named).hasSize(4));
    } finally {
      other.close();
    }
    assertThat(named)
        .extracting(record -> record.avps().text("Destination-Host").orElse(""))
        .containsOnly(NAMED);
    assertThat(records).isEmpty();
  }

  @Test
  void aChargingFunctionThatIsNoPeerIsCountedAndTheConfiguredOneIsUsed() throws Exception {
    startCdf();
    report(0, true, List.of("elsewhere.ims.test"));
    await().untilAsserted(() -> assertThat(records).hasSize(2));
    assertThat(records).noneMatch(record -> record.avps().has("Destination-Host"));
    assertThat(billing.counter("viaduct_accounting_directed_total{function=\"unknown\""))
        .isEqualTo(2);
  }

  @Test
  void aSessionWithoutALastReportStopsWhenNoneCanComeAnyMore() throws Exception {
    startCdf();
    report(0, false);
    await().untilAsserted(() -> assertThat(records).hasSize(2));
    clock.advance(Duration.ofHours(25));
    await().untilAsserted(() -> assertThat(records).hasSize(3));
    assertThat(types().getLast()).isEqualTo(STOP);
    assertThat(containers(records.getLast())).isEmpty();
  }
}
