package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.rerating.ReratingOrder;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.UsageReport;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Flows of calls that are charged per second (ADR 0069), on a real PostgreSQL. The calls stand as
/// `CallCharging` stores them.
class CarriedFlowsTest {
  private static final String PEER = "192.0.2.1";
  private static final int PORT = 5000; // of all flows of Reports
  private static final int VOICE_KBIT = 256;

  /// 80 kbit/s in each direction.
  private static final long VOICE_BYTES = 1_200_000;

  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private final String alice = "alice-" + tag;
  private final MediationRig rig = new MediationRig("owner-" + tag);
  private int sequence;

  @BeforeEach
  void open() {
    rig.openAccount(alice);
    rig.clock.advance(Duration.ofDays(365L * 150 + Math.floorMod(tag.hashCode(), 30_000)));
    rig.tariffs.add(
        SeedTariff.at(
            OperatingPoint.MEASURED, "{\"fees\":{\"PER_MINUTE\":0.5,\"PER_CALL_SECOND\":0.01}}"),
        rig.clock.instant(),
        "operator",
        rig.clock.instant());
    rig.clock.advance(Duration.ofMinutes(10));
  }

  @AfterEach
  void everyInvariantHolds() {
    assertThat(rig.broken()).isEmpty();
  }

  /// Stores a call.
  ///
  /// @param port of its media at the peer; null if its node has described none
  private long call(Instant start, @Nullable Instant end, @Nullable Integer port) {
    long call =
        rig.jdbc.queryForObject(
            "insert into call_session (origin_host, session_id, account, tariff_version,"
                + " microdenarii_per_second, started_at, valid_until, ended_at, ended_by,"
                + " voice_kbit_per_second) values ('node', ?, ?, 1, 10000, ?, ?, ?, ?, ?) returning id",
            Long.class,
            UUID.randomUUID().toString(),
            alice,
            Timestamp.from(start),
            Timestamp.from(start.plusSeconds(300)),
            end == null ? null : Timestamp.from(end),
            end == null ? null : "TERMINATION",
            VOICE_KBIT);
    if (port != null) {
      rig.jdbc.update("insert into call_media values (?, ?, ?)", call, PEER, port);
    }
    return call;
  }

  private UsageReport report(FlowUsage... flows) {
    rig.clock.advance(Duration.ofMinutes(1));
    return Reports.report(
            "snapt-" + tag, "s-" + tag, 1, sequence++, alice, rig.clock.instant(), List.of(flows))
        .build();
  }

  private List<Map<String, Object>> post(UsageReport report) {
    assertThat(rig.verdict(report)).isEqualTo(ReportVerdict.POSTED);
    return charges(report.getSessionId(), report.getSequence());
  }

  /// Returns the charges of one interval; a pattern of `like` stands for the session.
  private List<Map<String, Object>> charges(String session, long sequence) {
    return rig.jdbc.queryForList(
        "select c.charge_microdenarii + c.access_fee_microdenarii as cost, k.call_id from charge c"
            + " join interval_key i on i.interval_id = c.interval_id"
            + " left join carried_flow k on (k.interval_id, k.flow) = (c.interval_id, c.flow)"
            + " where i.session_id like ? and i.sequence = ? order by c.flow",
        session,
        sequence);
  }

  private static FlowUsage voice(int id, long bytes) {
    return Reports.flow(id, "voice-call", bytes, bytes, 50);
  }

  @Test
  void theFlowThatTheNodeHasDescribedCostsNothingAndTheOthersPayTheFee() {
    long call = call(rig.clock.instant(), null, PORT);
    FlowUsage web =
        Reports.flow(2, "skype-video", 2_550_000, 1_020_000, 140).toBuilder()
            .setRemotePort(443)
            .build();
    List<Map<String, Object>> charges = post(report(voice(1, VOICE_BYTES), web));
    assertThat(charges.get(0)).containsEntry("cost", 0L).containsEntry("call_id", call);
    assertThat(charges.get(1)).containsEntry("call_id", null);
    assertThat((Long) charges.get(1).get("cost"))
        .as("with the session's whole fee")
        .isGreaterThanOrEqualTo(500_000);
    assertThat(rig.balance(alice)).isNegative();
  }

  @Test
  void mediaOfAnotherPortAndIntervalsBeforeAndAfterTheCallAreCharged() {
    Instant now = rig.clock.instant();
    call(now, now.plusSeconds(90), PORT + 2);
    long call = call(now.plusSeconds(61), now.plusSeconds(90), PORT);
    assertThat(post(report(voice(1, VOICE_BYTES))).getFirst()).containsEntry("call_id", null);
    assertThat(post(report(voice(1, VOICE_BYTES))).getFirst()).containsEntry("call_id", call);
    Map<String, Object> after = post(report(voice(1, VOICE_BYTES))).getFirst();
    assertThat(after).containsEntry("call_id", null);
    assertThat((Long) after.get("cost")).isPositive();
  }

  @Test
  void withoutADescriptionTwoVoiceFlowsOfItsRateAreTheCalls() {
    long call = call(rig.clock.instant(), null, null);
    FlowUsage tooFast = voice(1, VOICE_KBIT * 60_000 / 8 + 3);
    FlowUsage video = Reports.flow(5, "skype-video", 2_550_000, 1_020_000, 140);
    List<Map<String, Object>> charges =
        post(report(tooFast, voice(2, 2_000), voice(3, VOICE_BYTES), voice(4, 1_000), video));
    assertThat(charges.stream().map(row -> row.get("call_id")).toList())
        .containsExactly(null, call, call, null, null);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(ints = PORT)
  void theReportOfTheDeviceItselfLeavesTheMediaFreeToo(@Nullable Integer port) {
    long call = call(rig.clock.instant(), null, port);
    FlowUsage video = Reports.flow(2, "skype-video", 2_550_000, 1_020_000, 140);
    UsageReport report = report(voice(1, VOICE_BYTES), video, voice(3, 2_000), voice(4, 1_000));
    assertThat(rig.submit(Reports.ofDevice(report, 0))).isEqualTo(ReportVerdict.PROVISIONAL);
    long expected = rig.deviceReports.expected(alice).expected().value();
    rig.clock.advance(Duration.ofMinutes(61));
    rig.chargeByDevices();
    assertThat(charges("device:%:" + report.getSessionId(), report.getSequence()))
        .extracting(row -> row.get("call_id"))
        .containsExactly(call, null, call, null);
    assertThat(rig.balance(alice)).isNegative().isEqualTo(-expected);
  }

  @Test
  void aRerateAndACopyOfTheReportLeaveItFree() {
    long call = call(rig.clock.instant(), null, PORT);
    UsageReport report = report(voice(1, VOICE_BYTES));
    assertThat(post(report).getFirst()).containsEntry("call_id", call).containsEntry("cost", 0L);
    assertThat(rig.verdict(report)).isEqualTo(ReportVerdict.ALREADY_POSTED);
    int dear =
        rig.tariffs
            .add(
                SeedTariff.at(OperatingPoint.MEASURED, "{\"fees\":{\"PER_MEGABYTE\":1.0}}"),
                rig.clock.instant().plus(Duration.ofDays(365L * 300)),
                "operator",
                rig.clock.instant())
            .version();
    rig.reratings.begin(
        new ReratingOrder(
            "calls-" + tag,
            rig.clock.instant().minusSeconds(3600),
            rig.clock.instant(),
            alice,
            null,
            dear,
            "a price was wrong",
            "operator"),
        rig.clock.instant());
    rig.rerating.workOff(rig.clock.instant());
    assertThat(rig.balance(alice)).isZero();
  }
}
