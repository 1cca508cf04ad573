package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.Passwords;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.configuration.RetentionSettings;
import io.viaduct.billing.database.DatabaseAccess;
import io.viaduct.billing.database.Migrations;
import io.viaduct.billing.database.Snapshot;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.ledger.LedgerVerification;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.receipts.DayRoots;
import io.viaduct.billing.receipts.ReceiptSealer;
import io.viaduct.billing.receipts.ReceiptVerification;
import io.viaduct.billing.receipts.StatementFiles;
import io.viaduct.billing.receipts.StatementKey;
import io.viaduct.billing.rerating.ReratingBatch;
import io.viaduct.billing.rerating.ReratingOrder;
import io.viaduct.billing.rerating.Reratings;
import io.viaduct.billing.retention.Retention;
import io.viaduct.billing.settlement.CapCredits;
import io.viaduct.billing.settlement.DeviceCharges;
import io.viaduct.billing.settlement.Evidence;
import io.viaduct.billing.settlement.RelayRewards;
import io.viaduct.billing.settlement.Settlement;
import io.viaduct.billing.settlement.SettlementRules;
import io.viaduct.billing.settlement.UnsignedIntervals;
import io.viaduct.billing.statement.Statements;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.denarii.statement.StatementCheck;
import io.viaduct.usage.v1.RelayedBytes;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SubmitDeviceReportsRequest;
import io.viaduct.usage.v1.UsageReport;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/// Months of bills in a database of its own, from the posting of reports until they are dropped.
class RetentionTest {
  private static final long CHARGED = 34_348_658; // by each report of the worked example
  private static final long BY_DEVICE = 35_541_158; // likewise, without the discount
  private static final StatementKey KEY = new StatementKey(new byte[32]);
  private static final Duration MONTH = Duration.ofDays(31);

  private final ManualClock clock = new ManualClock();
  private final Instant present = clock.instant();
  private final DatabaseAccess access =
      SharedDatabase.separate("retention_" + UUID.randomUUID().toString().replace("-", ""));
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private HikariDataSource pool = new HikariDataSource();
  private JdbcTemplate jdbc = new JdbcTemplate();
  private JdbcTemplate owner = new JdbcTemplate();

  @BeforeEach
  void open() {
    pool = Migrations.open(access, 4);
    jdbc = new JdbcTemplate(pool);
    owner = new JdbcTemplate(Migrations.owner(access));
    clock.advance(MONTH.multipliedBy(-4));
    for (long month = month(clock.instant()); month < month(present); month++) {
      owner.queryForList("select make_month(?)", month);
    }
  }

  @AfterEach
  void close() {
    pool.close();
  }

  private static long month(Instant at) {
    YearMonth month = YearMonth.from(at.atZone(ZoneOffset.UTC));
    return (month.getYear() - 2020) * 12L + month.getMonthValue();
  }

  private UsageReport report(long sequence) {
    return Reports.report(
            "snapt-1", "s", 1, sequence, "alice", clock.instant(), Reports.workedExample())
        .build();
  }

  private static ReportVerdict verdict(
      MediationService mediation, UsageReport report, Instant now) {
    return mediation.submit(Reports.request(now, List.of(report))).getAcks(0).getVerdict();
  }

  private long balance() {
    return new Ledger(jdbc).balance(LedgerAccount.user("alice")).value();
  }

  private long count(String what) {
    return jdbc.queryForObject("select count(*) from " + what, Long.class);
  }

  private void retain(int ledgerMonths, int personalDataMonths) {
    new Retention(
            Migrations.owner(access),
            new RetentionSettings(ledgerMonths, personalDataMonths),
            MediationRig.ADJUSTMENT,
            clock,
            meters)
        .run();
  }

  private double refused(String reason) {
    var found = meters.find("viaduct_retention_refused").tag("reason", reason).counter();
    return found == null ? 0 : found.count();
  }

  /// Settles what is due, and compares days with their caps.
  private void settle() {
    TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
    JdbcClient client = JdbcClient.create(jdbc);
    TariffBook tariffs = new TariffBook(client, transaction);
    Ledger ledger = new Ledger(jdbc);
    new Settlement(transaction, client, tariffs, ledger).settleDue(clock.instant());
    new CapCredits(transaction, client, tariffs, ledger, MediationRig.ADJUSTMENT)
        .creditDue(clock.instant());
  }

  /// Gives each movement its receipt, and publishes the roots that are due.
  private void seal() {
    TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
    InstantSource later = () -> clock.instant().plus(Duration.ofDays(1)).plusSeconds(180);
    ReceiptSealer sealer = new ReceiptSealer(transaction, jdbc, KEY, later);
    sealer.seal();
    new DayRoots(transaction, jdbc, KEY, later).publishDue();
    sealer.seal();
  }

  /// Marks all that waits as written to a file, as the export does.
  private void export() {
    seal();
    jdbc.update(
        "insert into cdr_file values ((select coalesce(max(sequence), 0) + 1 from cdr_file), 'file-' || ?, 'CSV', 1, 0, now(), now(), 0, null, now())",
        UUID.randomUUID());
    jdbc.update(
        "update cdr_interval set file_sequence = (select max(sequence) from cdr_file) where file_sequence is null");
  }

  private void verify() {
    JdbcClient client = JdbcClient.create(jdbc);
    assertThat(
            new LedgerVerification(
                    client,
                    new Snapshot(new JdbcTransactionManager(pool)),
                    ReceiptVerification.checks(client))
                .run())
        .allMatch(LedgerVerification.Check::holds);
  }

  /// Posts a report in each of the four months before the present one.
  private MediationService postFourMonths() {
    MediationService mediation = IntakeOfPool.service(pool, clock, "alice");
    for (long sequence = 0; sequence < 4; sequence++) {
      if (sequence == 0) {
        topUp();
      }
      assertThat(verdict(mediation, report(sequence), clock.instant()))
          .isEqualTo(ReportVerdict.POSTED);
      clock.advance(MONTH);
    }
    settle();
    return mediation;
  }

  private void topUp() {
    new TransactionTemplate(new JdbcTransactionManager(pool))
        .executeWithoutResult(_ ->
            new Ledger(jdbc)
                .post(
                    List.of(
                        LedgerTransaction.topUp("first", "alice", new MicroDenarii(1_000_000), "")),
                    clock.instant()));
  }

  @Test
  void rowsOfAReportAreInThePartitionOfItsMonth() {
    var unused = postFourMonths();
    for (String table : List.of("charging_interval", "snapt_report", "charge", "flow_peer")) {
      assertThat(
              jdbc.queryForObject(
                  "select count(distinct tableoid) from "
                      + table
                      + " where tableoid <> '"
                      + table
                      + "_before'::regclass",
                  Integer.class))
          .as(table)
          .isEqualTo(4);
    }
    assertThat(owner.queryForObject("select count(*) from charge_before", Long.class)).isZero();
  }

  @Test
  void aDroppedMonthLeavesBalancesIdentitiesAndInvariantsAsTheyWere() {
    Instant first = clock.instant();
    UsageReport old = report(0);
    UsageReport other =
        Reports.report(
                "snapt-1",
                "s",
                1,
                0,
                "alice",
                clock.instant().plusSeconds(9),
                Reports.workedExample())
            .build();
    MediationService mediation = postFourMonths();
    owner.update("update cdr_export set enabled = true");
    retain(3, 0);
    assertThat(refused("not_exported")).isEqualTo(1);
    export();
    retain(3, 0);

    assertThat(balance()).isEqualTo(1_000_000 - 4 * CHARGED);
    assertThat(count("charging_interval")).isEqualTo(3);
    assertThat(count("sealed_report")).isEqualTo(1);
    assertThat(
            jdbc.queryForObject(
                "select min(number) from billing_month where number > 0", Long.class))
        .isEqualTo(month(clock.instant()) - 3);
    verify();
    assertThat(verdict(mediation, old, clock.instant())).isEqualTo(ReportVerdict.ALREADY_POSTED);
    assertThat(verdict(mediation, other, clock.instant())).isEqualTo(ReportVerdict.CONFLICT);
    assertThat(balance()).isEqualTo(1_000_000 - 4 * CHARGED);
    // The last one of the first kept month is charged as before.
    YearMonth kept = YearMonth.from(clock.instant().atZone(ZoneOffset.UTC)).minusMonths(3);
    var statement =
        new Statements(JdbcClient.create(jdbc), new Snapshot(new JdbcTransactionManager(pool)))
            .of("alice", kept, ZoneOffset.UTC, clock.instant());
    assertThat(statement.opening().value()).isEqualTo(1_000_000 - CHARGED);

    retain(2, 0);
    export();
    retain(2, 0);
    verify();
    assertThat(balance()).isEqualTo(1_000_000 - 4 * CHARGED);
    assertThat(count("charging_interval")).isEqualTo(2);
    assertThat(count("ledger_identity")).isEqualTo(count("ledger_transaction"));
  }

  @Test
  void whatARelayHasEarnedStaysWhenItsMonthIsDropped() {
    MediationService mediation = IntakeOfPool.service(pool, clock, "alice");
    TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
    JdbcClient client = JdbcClient.create(jdbc);
    new Accounts(client, transaction, new Ledger(jdbc), new Passwords(2))
        .open("bob", "password", Role.USER, "bob", clock.instant());
    TariffBook tariffs = new TariffBook(client, transaction);
    tariffs.add(
        SeedTariff.at(OperatingPoint.MEASURED, "{\"relay-share\":0.2}"),
        clock.instant(),
        "operator",
        clock.instant());
    clock.advance(Duration.ofMinutes(2));
    UsageReport relayed =
        report(0).toBuilder()
            .addRelays(RelayedBytes.newBuilder().setAccount("bob").setBytes(1_590_000))
            .build();
    assertThat(verdict(mediation, relayed, clock.instant())).isEqualTo(ReportVerdict.POSTED);
    clock.advance(MONTH.multipliedBy(4));
    settle();
    new RelayRewards(transaction, client, tariffs, new Ledger(jdbc)).payDue(clock.instant());
    long earned = earned();
    assertThat(earned).isEqualTo(new Ledger(jdbc).balance(LedgerAccount.user("bob")).value());
    owner.update("update cdr_export set enabled = true");
    retain(2, 0);
    export();
    retain(2, 0);
    assertThat(count("charging_interval")).isZero();
    assertThat(count("ledger_transaction where kind = 'RELAY'")).isZero();
    assertThat(earned()).isEqualTo(earned).isPositive();
    verify();
  }

  private long earned() {
    return jdbc.queryForObject(
        "select sum(earned_microdenarii)::bigint from relay_earning where account = 'bob'",
        Long.class);
  }

  @Test
  void aMonthStaysUntilItsBillsThatWereMadeAgainAreInAFile() {
    Instant first = clock.instant();
    var unused = postFourMonths();
    owner.update("update cdr_export set enabled = true");
    retain(3, 0);
    export();
    owner.update("update cdr_export set enabled = false"); // so the new bill asks for no file
    rerate(first);
    settle();
    owner.update("update cdr_export set enabled = true");
    retain(3, 0);
    assertThat(refused("not_exported")).isEqualTo(2);
    assertThat(count("charging_interval")).isEqualTo(4);
    export();
    retain(3, 0);
    assertThat(count("charging_interval")).isEqualTo(3);
    verify();
  }

  /// Makes the bills of a day again with another fee.
  private void rerate(Instant at) {
    TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
    JdbcClient client = JdbcClient.create(jdbc);
    TariffBook tariffs = new TariffBook(client, transaction);
    int corrected =
        tariffs
            .add(
                SeedTariff.at(OperatingPoint.MEASURED, "{\"fees\":{\"PER_MINUTE\":0.5}}"),
                clock.instant().plus(MONTH),
                "alice",
                clock.instant())
            .version();
    var unused =
        new Reratings(transaction, client)
            .begin(
                new ReratingOrder(
                    "fee",
                    at.minus(Duration.ofDays(1)),
                    at.plus(Duration.ofDays(1)),
                    null,
                    null,
                    corrected,
                    "the fee was forgotten",
                    "alice"),
                clock.instant());
    new ReratingBatch(
            transaction,
            jdbc,
            tariffs,
            new SurchargeBook(client, transaction),
            new Ledger(jdbc),
            (_, _) -> {})
        .workOff(clock.instant());
    assertThat(count("report_revision")).isEqualTo(1);
  }

  @Test
  void aNewReportOfADroppedMonthKeepsItsIdentityHoweverOftenRetentionRuns() {
    Instant first = clock.instant();
    UsageReport late =
        Reports.report("snapt-1", "late", 1, 0, "alice", first, Reports.workedExample()).build();
    MediationService mediation = postFourMonths();
    owner.update("update cdr_export set enabled = true");
    retain(3, 0);
    export();
    retain(3, 0);
    assertThat(count("sealed where forgotten")).isEqualTo(1);

    // The time at the bridge counts for a report that has waited in a topic.
    clock.advance(MONTH.multipliedBy(-4));
    assertThat(verdict(mediation, late, clock.instant())).isEqualTo(ReportVerdict.POSTED);
    clock.advance(MONTH.multipliedBy(4));
    retain(3, 0);
    assertThat(count("ledger_identity")).isEqualTo(count("ledger_transaction"));
    assertThat(verdict(mediation, late, clock.instant())).isEqualTo(ReportVerdict.ALREADY_POSTED);
    verify();
  }

  @Test
  void aStatementAfterDroppedMonthsBeginsAtAKeptReceiptAndIsVerifiedOffline() throws Exception {
    MediationService mediation = IntakeOfPool.service(pool, clock, "alice");
    topUp();
    for (long sequence = 0; sequence < 4; sequence++) {
      verdict(mediation, report(sequence), clock.instant());
      seal(); // and publishes a root in each month
      clock.advance(MONTH);
    }
    settle();
    owner.update("update cdr_export set enabled = true");
    retain(2, 0);
    export();
    StatementCheck.Result whole = statement();
    assertThat(whole.findings()).isEmpty();
    assertThat(whole.first()).isEqualTo(1);
    retain(2, 0);
    assertThat(count("charging_interval")).isEqualTo(2);

    StatementCheck.Result kept = statement();
    assertThat(kept.findings()).isEmpty();
    assertThat(kept.first()).as("number of the first kept receipt").isEqualTo(whole.last() - 1);
    assertThat(kept.last()).isEqualTo(whole.last());
    assertThat(kept.balance()).isEqualTo(whole.balance()).isEqualTo(balance());
    assertThat(kept.roots()).isNotEmpty();
    assertThat(whole.roots()).containsAllEntriesOf(kept.roots());
  }

  private StatementCheck.Result statement() throws IOException {
    JdbcClient client = JdbcClient.create(jdbc);
    TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    new StatementFiles(
            client,
            new Snapshot(new JdbcTransactionManager(pool)),
            new DayRoots(transaction, jdbc, KEY, clock),
            KEY,
            clock)
        .write("alice", null, null, file);
    return StatementCheck.of(
        new ByteArrayInputStream(file.toByteArray()),
        new StatementCheck.Known(Map.of(), Map.of(), Set.of(), Set.of()));
  }

  @Test
  void aMonthThatIsNotFinalOrNotExportedIsKept() {
    MediationService mediation = postFourMonths();
    retain(2, 0);
    assertThat(refused("no_export")).isEqualTo(1);
    clock.advance(MONTH);
    assertThat(verdict(mediation, report(4), clock.instant())).isEqualTo(ReportVerdict.POSTED);
    clock.advance(MONTH.multipliedBy(4));
    retain(2, 0);
    assertThat(refused("not_final")).isEqualTo(1);
    assertThat(count("charging_interval")).isEqualTo(5);
  }

  @Test
  void personalDataGoBeforeTheBillsAndNoBillChanges() {
    var unused = postFourMonths();
    retain(0, 2);
    assertThat(count("flow_peer")).isEqualTo(2 * 2);
    assertThat(count("report_original")).isEqualTo(2);
    assertThat(count("charge")).isEqualTo(4 * 2);
    assertThat(balance()).isEqualTo(1_000_000 - 4 * CHARGED);
    verify();
  }

  @Test
  void theReportsOfDevicesAreEmptiedWithThoseOfSnapts() {
    MediationService mediation = IntakeOfPool.service(pool, clock, "alice");
    UsageReport old = report(0);
    verdict(mediation, old, clock.instant());
    assertThat(ofDevice(mediation, old)).isEqualTo(ReportVerdict.POSTED);
    clock.advance(MONTH.multipliedBy(4));
    UsageReport recent = report(1);
    verdict(mediation, recent, clock.instant());
    assertThat(ofDevice(mediation, recent)).isEqualTo(ReportVerdict.POSTED);
    settle();
    retain(0, 2);
    assertThat(count("device_report where envelope <> ''")).isEqualTo(1);
    assertThat(count("device_report")).isEqualTo(2);
    assertThat(ofDevice(mediation, old)).isEqualTo(ReportVerdict.ALREADY_POSTED);
    assertThatThrownBy(() -> jdbc.update("update device_report set envelope = ''"))
        .hasStackTraceContaining("permission denied");
    verify();
  }

  /// Submits a device's report about the interval of a SNAPT's.
  private ReportVerdict ofDevice(MediationService mediation, UsageReport reported) {
    return mediation
        .submit(
            SubmitDeviceReportsRequest.newBuilder()
                .setReceivedMs(clock.millis())
                .addReports(Reports.ofDevice(reported, 0))
                .addTokenKeys(Reports.PROVEN.tokenKey())
                .build())
        .getAcks(0)
        .getVerdict();
  }

  @Test
  void nothingTellsOfAnErasedOperatorOrOfThePersonWhomTheAuditLogHasNamed() {
    MediationService mediation = postFourMonths();
    assertThat(count("charge where device is not null")).isPositive();
    traces(mediation);
    assertThat(tablesWith("alice"))
        .contains(
            "tariff",
            "interval_decision",
            "held_report",
            "external_identity",
            "allowance",
            "credit_block",
            "verification_run",
            "snapt_owner",
            "audit_entry",
            "audit_change");
    jdbc.update(
        "update account set state = 'closed', password_hash = null, sip_secret = 'none', display_name = ''"
            + " where id = 'alice'");
    clock.advance(MONTH);
    settle();
    seal();
    assertThat(erase("alice")).isNull();

    assertThat(tablesWith("alice")).isEmpty();
    assertThat(tablesWith("41791234567")).isEmpty();
    assertThat(tablesWith("subject77812")).isEmpty();
    assertThat(count("charge where device is not null and account <> 'bob'")).isZero();
    assertThat(jdbc.queryForList("select path from audit_entry order by id", String.class))
        .containsExactly("/api/v1/accounts/erased-1/sip-addresses/-", "/api/v1/snapts/snapt-1");
    assertThat(
            jdbc.queryForObject(
                "select after ->> 'name' from audit_change where table_name = 'tariff_draft'",
                String.class))
        .as("a name of no person")
        .isEqualTo("summer");
  }

  /// Lets alice act as an operator, and the audit log tell about her.
  private void traces(MediationService mediation) {
    TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
    JdbcClient client = JdbcClient.create(jdbc);
    new Accounts(client, transaction, new Ledger(jdbc), new Passwords(2))
        .open("bob", "password", Role.USER, "bob", clock.instant());
    UsageReport ofBob =
        Reports.report("snapt-1", "b", 1, 0, "bob", clock.instant(), Reports.workedExample())
            .build();
    ReportVerdict unsigned =
        mediation
            .submit(Reports.requestOf(clock.instant(), List.of(Reports.unsigned(ofBob))))
            .getAcks(0)
            .getVerdict();
    assertThat(unsigned).isEqualTo(ReportVerdict.PROVISIONAL);
    var unused =
        new UnsignedIntervals(transaction, client, new Ledger(jdbc), Duration.ZERO)
            .decide(
                jdbc.queryForObject(
                    "select id from charging_interval where account = 'bob'", Long.class),
                UnsignedIntervals.Verdict.ACCEPTED,
                new Evidence.Decision("alice", "seen"),
                clock.instant());
    UsageReport ofNobody =
        Reports.report("snapt-1", "n", 1, 0, "nobody", clock.instant(), Reports.workedExample())
            .build();
    assertThat(verdict(mediation, ofNobody, clock.instant())).isEqualTo(ReportVerdict.HELD);
    jdbc.update(
        "update held_report set state = 'DISCARDED', decided_by = 'alice', decided_at = now()");
    new TariffBook(client, transaction)
        .add(
            SeedTariff.at(OperatingPoint.MEASURED, "{}"),
            clock.instant().plus(MONTH.multipliedBy(12)),
            "alice",
            clock.instant());
    for (String trace :
        List.of(
            "insert into allowance (account, amount_microdenarii, changed_by, changed_at) values ('bob', 5, 'alice', now())",
            "insert into external_identity values ('https://id.test', 'bob1', 'bob', now(), 'alice')",
            "insert into credit_block (account, blocked, reason, decided_by, decided_at) values ('bob', false, 'r', 'alice', now())",
            "insert into verification_run (requested_by, started_at, total, finished_at) values ('alice', now(), 1, now())",
            "insert into snapt (id, report_key, region, enrolled_at) values ('snapt-1', sha256(''), '', now())",
            "insert into snapt_owner (snapt_id, since, owner, set_by) values ('snapt-1', now(), 'owner', 'alice')",
            "insert into audit_entry (began_at, account, role, operation, method, path, request_id) values"
                + " (now(), 'alice', 'operator', 'add', 'PUT', '/api/v1/accounts/alice/sip-addresses/%2B41791234567', 'r1'),"
                + " (now(), 'alice', 'operator', 'enrol', 'PUT', '/api/v1/snapts/snapt-1', 'r2')")) {
      jdbc.update(trace);
    }
    audited("sip_address", "{\"address\":\"+41791234567\",\"account\":\"alice\"}");
    audited(
        "external_identity",
        "{\"issuer\":\"https://id.test\",\"subject\":\"subject77812\",\"account\":\"alice\"}");
    audited(
        "webhook_endpoint",
        "{\"url\":\"https://alice.test/hook\",\"description\":\"of alice\",\"account\":\"alice\"}");
    audited("device", "{\"name\":\"telephone of alice\",\"account\":\"alice\"}");
    audited("account", "{\"id\":\"alice\",\"display_name\":\"alice subject77812\"}");
    audited("tariff_draft", "{\"name\":\"summer\",\"owner\":\"alice\"}");
  }

  private void audited(String table, String after) {
    jdbc.update(
        "insert into audit_change (entry_id, table_name, action, after)"
            + " select min(id), ?, 'INSERT', ?::jsonb from audit_entry",
        table,
        after);
  }

  @Test
  void anErasedUserIsAPseudonymInALedgerThatHolds() {
    MediationService mediation = postFourMonths();
    byDeviceAlone(mediation);
    assertThat(erase("alice")).isEqualTo("not_closed");
    jdbc.update(
        "update account set state = 'closed', password_hash = null, sip_secret = 'none' where id = 'alice'");
    clock.advance(MONTH);
    settle();
    seal();
    assertThat(erase("alice")).isNull();

    assertThat(new Ledger(jdbc).balance(LedgerAccount.user("erased-1")).value())
        .isEqualTo(1_000_000 - 4 * CHARGED - BY_DEVICE);
    assertThat(erase("alice")).isEqualTo("unknown");
    assertThat(count("flow_peer")).isZero();
    verify();
    assertThat(tablesWith("alice")).isEmpty();
  }

  /// Charges a minute that only the device has reported.
  private void byDeviceAlone(MediationService mediation) {
    mediation.submit(
        SubmitDeviceReportsRequest.newBuilder()
            .setReceivedMs(clock.millis())
            .addReports(Reports.ofDevice(report(9), 0))
            .addTokenKeys(Reports.PROVEN.tokenKey())
            .build());
    clock.advance(MediationRig.ADJUSTMENT.plusMinutes(1));
    TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
    JdbcClient client = JdbcClient.create(jdbc);
    new DeviceCharges(
            transaction,
            jdbc,
            new TariffBook(client, transaction),
            new SurchargeBook(client, transaction),
            new Ledger(jdbc),
            new SettlementRules(
                MediationRig.GRACE, MediationRig.ADJUSTMENT, _ -> "owner", MediationRig.BOUNDS),
            new DeviceCharges.Rules(
                MediationRig.CHARGE_AFTER, MediationRig.DEVICE_BOUND, MediationRig.ADJUSTMENT))
        .work(clock.instant());
  }

  private String erase(String account) {
    return owner.queryForObject("select erase_account(?, 'erased-1')", String.class, account);
  }

  /// Returns the tables that have the word in any column.
  private List<String> tablesWith(String word) {
    return owner
        .queryForList(
            "select oid::regclass::text from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')",
            String.class)
        .stream()
        .filter(table ->
            Boolean.TRUE.equals(
                owner.queryForObject(
                    "select exists (select from " + table + " t where t::text ~ ?)",
                    Boolean.class,
                    "\\m" + word + "\\M")))
        .toList();
  }
}
