package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.receipts.SealedStatements;
import io.viaduct.billing.rerating.ReratingOrder;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.denarii.statement.StatementCheck;
import io.viaduct.usage.v1.RelayedBytes;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Rewards of neighbours that a report names (ADR 0068), on a real PostgreSQL.
class RelayRewardsTest {
  /// Charge and net of the worked example; it has 1,590,000 wire bytes.
  private static final long CHARGE = 35_541_158;

  private static final long NET = 34_348_658;
  private static final long FEE = 3_554_116;
  private static final long WIRE = 1_590_000;

  /// A fifth of the charge.
  private static final long SHARE = 7_108_232;

  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private final String alice = "alice-" + tag;
  private final String bob = "bob-" + tag;
  private final String carol = "carol-" + tag;
  private final MediationRig rig = new MediationRig("owner-" + tag);

  @BeforeEach
  void open() {
    List.of(alice, bob, carol).forEach(rig::openAccount);
    // In a time of its own, because tests share the tariffs.
    rig.clock.advance(Duration.ofDays(365L * 150 + Math.floorMod(tag.hashCode(), 30_000)));
    rig.tariffs.add(
        SeedTariff.at(OperatingPoint.MEASURED, "{\"relay-share\":0.2}"),
        rig.clock.instant(),
        "operator",
        rig.clock.instant());
    rig.clock.advance(Duration.ofMinutes(2));
  }

  @AfterEach
  void everyInvariantHolds() {
    assertThat(rig.broken()).isEmpty();
  }

  private UsageReport report(int sequence, RelayedBytes... relays) {
    return Reports.report(
            "snapt-" + tag,
            "s-" + tag,
            1,
            sequence,
            alice,
            rig.clock.instant(),
            Reports.workedExample())
        .addAllRelays(List.of(relays))
        .build();
  }

  private static RelayedBytes by(String account, long bytes) {
    return RelayedBytes.newBuilder().setAccount(account).setBytes(bytes).build();
  }

  private void settle(UsageReport report) {
    settle(Reports.signed(report));
  }

  private void settle(SignedUsageReport report) {
    assertThat(rig.submit(report).getVerdict()).isEqualTo(ReportVerdict.POSTED);
    rig.relayRewards.payDue(rig.clock.instant());
    assertThat(rig.balance(bob) + rig.balance(carol)).as("before the settlement").isZero();
    rig.clock.advance(MediationRig.GRACE);
    rig.settlement.settleDue(rig.clock.instant());
    rig.relayRewards.payDue(rig.clock.instant());
    rig.relayRewards.payDue(rig.clock.instant()); // again: nothing is due
  }

  private long earned(String account) {
    return rig.jdbc.queryForObject(
        "select coalesce(sum(earned_microdenarii), 0)::bigint from relay_earning where account = ?",
        Long.class,
        account);
  }

  private long revenue() {
    return rig.jdbc.queryForObject(
        "select coalesce(sum(p.amount_microdenarii), 0)::bigint from posting p"
            + " join ledger_transaction t on t.id = p.transaction_id"
            + " join charging_interval i on i.id = t.interval_id"
            + " where p.account = 'OPERATOR:REVENUE' and i.account = ?",
        Long.class,
        alice);
  }

  @Test
  void whatAnInstanceOfTheVersionBeforePostsIsEarnedToo() {
    settle(report(0));
    SharedDatabase.transaction()
        .executeWithoutResult(status -> {
          long interval =
              rig.jdbc.queryForObject(
                  "select id from charging_interval where account = ?", Long.class, alice);
          rig.ledger.post(
              List.of(
                  LedgerTransaction.relayRewards(
                      "relay:" + tag,
                      interval,
                      "snapt-1",
                      Map.of(bob, new MicroDenarii(700), carol, new MicroDenarii(300)))),
              rig.clock.instant());
          rig.jdbc.execute("set constraints all immediate"); // as the commit does
          assertThat(earned(bob)).isEqualTo(700);
          assertThat(earned(carol)).isEqualTo(300);
          status.setRollbackOnly(); // no relay of the interval is known
        });
    assertThat(earned(bob)).isZero();
  }

  @Test
  void relaysShareByTheirBytesAndThePayerPaysTheSame() {
    settle(report(0, by(bob, WIRE / 2), by(carol, WIRE / 4)));
    long whole = SHARE * 3 / 4;
    assertThat(rig.balance(bob)).isEqualTo(whole * 2 / 3);
    assertThat(rig.balance(carol)).isEqualTo(whole - whole * 2 / 3);
    assertThat(earned(bob)).isEqualTo(rig.balance(bob));
    assertThat(earned(alice)).isZero();
    assertThat(rig.balance(alice)).isEqualTo(-NET);
    long fee = rig.ledger.balance(LedgerAccount.provider("owner-" + tag)).value();
    assertThat(fee + rig.balance(bob) + rig.balance(carol) + revenue())
        .as("fees + rewards + rest = charge")
        .isEqualTo(CHARGE);
  }

  @Test
  void neitherThePayerNorAStrangerNorAClosedAccountEarns() {
    rig.jdbc.update(
        "update account set state = 'closed', password_hash = null, sip_secret = 'none' where id = ?",
        carol);
    settle(report(0, by(alice, WIRE), by("nobody-" + tag, WIRE), by(carol, WIRE)));
    assertThat(rig.balance(alice)).isEqualTo(-NET);
    assertThat(revenue()).isEqualTo(CHARGE - FEE);
  }

  @Test
  void relaysThatClaimMoreThanTheWireBytesHaveTheWholeShareTogether() {
    settle(report(0, by(bob, 3 * WIRE), by(carol, WIRE)));
    assertThat(rig.balance(bob) + rig.balance(carol)).isEqualTo(SHARE);
    assertThat(rig.balance(bob)).isEqualTo(SHARE * 3 / 4);
  }

  @Test
  void aRelayTwiceOrWithoutBytesMakesAReportMalformed() {
    for (UsageReport report :
        List.of(report(0, by(bob, 1), by(bob, 2)), report(0, by(bob, 0)), report(0, by("", 1)))) {
      assertThat(rig.verdict(report)).isEqualTo(ReportVerdict.REJECTED);
    }
    assertThat(rig.verdict(report(0, by(bob, 1)))).isEqualTo(ReportVerdict.POSTED);
  }

  @Test
  void aListThatIsNotTheOneOfTheDigestMakesAReportMalformed() {
    SignedUsageReport signed = Reports.signed(report(0, by(bob, WIRE)));
    SignedUsageReport ofCarol = Reports.signed(report(0, by(carol, WIRE)));
    for (SignedUsageReport other :
        List.of(
            signed.toBuilder().clearRelays().build(),
            signed.toBuilder().setRelays(ofCarol.getRelays()).build(),
            Reports.signed(report(0)).toBuilder().setRelays(signed.getRelays()).build())) {
      assertThat(rig.submit(other).getVerdict()).isEqualTo(ReportVerdict.REJECTED);
    }
    assertThat(rig.submit(signed).getVerdict()).isEqualTo(ReportVerdict.POSTED);
  }

  @Test
  void theStatementOfThePayerHasTheReportAndNamesNoNeighbour() {
    settle(report(0, by(bob, WIRE)));
    assertThat(rig.balance(bob)).isEqualTo(SHARE);
    StatementCheck.Result statement = SealedStatements.check(alice, rig.clock);
    assertThat(statement.findings()).isEmpty();
    assertThat(statement.withoutKey()).as("reports of the SNAPT").isEqualTo(1);
    assertThat(readable(SealedStatements.file(alice, rig.clock)))
        .as("the report's token, and no neighbour")
        .contains("token-1")
        .doesNotContain(bob);
  }

  @Test
  void aReportWithItsRelaysInsideIsPaidAndLeftOutOfTheStatement() {
    settle(Reports.bySnapt(Reports.PROVEN.complete(report(0, by(bob, WIRE)))));
    assertThat(rig.balance(bob)).isEqualTo(SHARE);
    StatementCheck.Result statement = SealedStatements.check(alice, rig.clock);
    assertThat(statement.findings()).isEmpty();
    assertThat(statement.notKept()).isEqualTo(1);
    assertThat(readable(SealedStatements.file(alice, rig.clock))).doesNotContain(bob);
  }

  /// Returns a file, followed by the octets of its reports.
  private static String readable(byte[] file) {
    String text = new String(file, StandardCharsets.UTF_8);
    return text
        + Pattern.compile("\"content\":\"([^\"]*)\"")
            .matcher(text)
            .results()
            .map(found -> Base64.getDecoder().decode(found.group(1)))
            .map(octets -> new String(octets, StandardCharsets.ISO_8859_1))
            .collect(Collectors.joining());
  }

  @Test
  void aRerateAndALateReportPayWhatTheirBillsSay() {
    settle(report(0, by(bob, WIRE)));
    assertThat(rig.balance(bob)).isEqualTo(SHARE);
    int halfPrice =
        rig.tariffs
            .add(
                SeedTariff.at(OperatingPoint.MEASURED, "{\"caps\":{\"FLOW_INTERVAL\":5.0}}"),
                rig.clock.instant().plus(Duration.ofDays(365L * 300)),
                "operator",
                rig.clock.instant())
            .version();
    rig.reratings.begin(
        new ReratingOrder(
            "relays-" + tag,
            rig.clock.instant().minusSeconds(3600),
            rig.clock.instant(),
            alice,
            null,
            halfPrice,
            "a price was wrong",
            "operator"),
        rig.clock.instant());
    rig.rerating.workOff(rig.clock.instant());
    rig.relayRewards.payDue(rig.clock.instant());
    assertThat(rig.balance(bob)).as("a fifth of twice the cap").isEqualTo(2_000_000);
    assertThat(earned(bob)).as("less what was taken back").isEqualTo(2_000_000);

    UsageReport late = report(1, by(bob, WIRE));
    rig.clock.advance(Duration.ofHours(1));
    rig.verdict(late);
    rig.settlement.settleDue(rig.clock.instant());
    rig.relayRewards.payDue(rig.clock.instant());
    assertThat(rig.balance(bob)).as("late reports are not settled").isEqualTo(2_000_000);
  }

  @Test
  void theStatementOfARelayNamesNeitherPayerNorSession() {
    settle(report(0, by(bob, WIRE)));
    StatementCheck.Result statement = SealedStatements.check(bob, rig.clock);
    assertThat(statement.findings()).isEmpty();
    assertThat(statement.balance()).isEqualTo(SHARE);
    assertThat(
            rig.jdbc.queryForObject(
                "select identity || note from ledger_transaction t join posting p"
                    + " on p.transaction_id = t.id where p.account = 'USER:' || ?",
                String.class,
                bob))
        .doesNotContain("s-" + tag, alice);
  }
}
