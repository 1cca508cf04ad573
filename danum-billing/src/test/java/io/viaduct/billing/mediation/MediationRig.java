package io.viaduct.billing.mediation;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.Credits;
import io.viaduct.billing.account.Passwords;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.account.TopUps;
import io.viaduct.billing.database.Snapshot;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.LedgerVerification;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rerating.ReratingBatch;
import io.viaduct.billing.rerating.Reratings;
import io.viaduct.billing.settlement.CapCredits;
import io.viaduct.billing.settlement.DeviceCharges;
import io.viaduct.billing.settlement.DeviceReportList;
import io.viaduct.billing.settlement.DeviceReports;
import io.viaduct.billing.settlement.Discrepancies;
import io.viaduct.billing.settlement.HeldReports;
import io.viaduct.billing.settlement.RelayRewards;
import io.viaduct.billing.settlement.ReportPosting;
import io.viaduct.billing.settlement.SequenceGaps;
import io.viaduct.billing.settlement.Settlement;
import io.viaduct.billing.settlement.SettlementRules;
import io.viaduct.billing.settlement.UnsignedIntervals;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.wallet.Grants;
import io.viaduct.billing.wallet.Wallets;
import io.viaduct.usage.ProvenReport;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedDeviceReport;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SubmitDeviceReportsRequest;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Runs mediation on the real database, without sockets, with a manual clock.
final class MediationRig {
  static final Duration GRACE = Duration.ofMinutes(10);
  static final Duration ADJUSTMENT = Duration.ofHours(24);
  static final Duration CHARGE_AFTER = Duration.ofHours(1);

  /// Three intervals of the worked example.
  static final MicroDenarii DEVICE_BOUND = MicroDenarii.ofDenarii(110);

  static final Duration DECIDE_AFTER = Duration.ofHours(24);

  /// Bounds that the worked example does not exceed.
  static final SettlementRules.Bounds BOUNDS =
      new SettlementRules.Bounds(MicroDenarii.ofDenarii(1000), MicroDenarii.ofDenarii(75), 1000);

  static final ProofRules PROOFS = new ProofRules(() -> _ -> 1_000_000_000L, ProvenReport.AUDIENCE);

  private static final AtomicBoolean OPERATOR_EXISTS = new AtomicBoolean();
  private static final Passwords PASSWORDS = new Passwords(2);

  final ManualClock clock;
  final BridgeClocks clocks;
  final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  final JdbcTemplate jdbc = SharedDatabase.jdbc();
  final JdbcClient client = SharedDatabase.client();
  final Ledger ledger = new Ledger(jdbc);
  final TariffBook tariffs = new TariffBook(client, SharedDatabase.transaction());
  final SurchargeBook surcharges = new SurchargeBook(client, SharedDatabase.transaction());
  final Accounts accounts = new Accounts(client, SharedDatabase.transaction(), ledger, PASSWORDS);
  final TopUps topUps = new TopUps(SharedDatabase.transaction(), client, ledger);
  final Settlement settlement =
      new Settlement(SharedDatabase.transaction(), client, tariffs, ledger);
  final RelayRewards relayRewards =
      new RelayRewards(SharedDatabase.transaction(), client, tariffs, ledger);
  final Wallets wallets = new Wallets(client);
  final Grants grants = new Grants(SharedDatabase.transaction(), client, ledger, wallets);
  final Credits credits = new Credits(SharedDatabase.transaction(), client, ledger);
  final CapCredits caps =
      new CapCredits(SharedDatabase.transaction(), client, tariffs, ledger, ADJUSTMENT);
  final Reratings reratings = new Reratings(SharedDatabase.transaction(), client);
  final ReratingBatch rerating =
      new ReratingBatch(
          SharedDatabase.transaction(), jdbc, tariffs, surcharges, ledger, (_, _) -> {});
  final SequenceGaps gaps = new SequenceGaps(client);
  final RefusedReports refused = new RefusedReports(jdbc);
  final HeldReports held = new HeldReports(client);
  final Discrepancies discrepancies = new Discrepancies(SharedDatabase.transaction(), client);
  final UnsignedIntervals unsigned =
      new UnsignedIntervals(SharedDatabase.transaction(), client, ledger, DECIDE_AFTER);
  final LedgerVerification verification =
      new LedgerVerification(client, new Snapshot(SharedDatabase.transactions()));
  final DeviceReportList deviceReports = new DeviceReportList(client);
  final DeviceReports devices;
  final DeviceCharges deviceCharges;
  final ReportIntake intake;
  final MediationService mediation;
  final HeldReportRelease release;
  private final String owner;
  private final SettlementRules.Bounds bounds;

  /// Connects mediation to the shared database.
  ///
  /// @param owner owner of every SNAPT
  MediationRig(String owner) {
    this(owner, BOUNDS);
  }

  MediationRig(String owner, SettlementRules.Bounds bounds) {
    this(owner, bounds, new ManualClock());
  }

  /// Returns another instance of billing on the same database, which knows nothing but what is
  /// stored there.
  MediationRig another() {
    return new MediationRig(owner, bounds, clock);
  }

  private MediationRig(String owner, SettlementRules.Bounds bounds, ManualClock clock) {
    this.owner = owner;
    this.bounds = bounds;
    this.clock = clock;
    clocks = new BridgeClocks(clock, meters);
    if (!OPERATOR_EXISTS.getAndSet(true)) { // a password takes 100 ms, and a rig is a restart
      accounts.open("operator", "operator-secret", Role.OPERATOR, "Operator", clock.instant());
    }
    SeenTokenKeys keys = new SeenTokenKeys(client);
    SettlementRules rules = new SettlementRules(GRACE, ADJUSTMENT, _ -> owner, bounds);
    devices =
        new DeviceReports(
            SharedDatabase.transaction(), client, tariffs, surcharges, _ -> owner, ADJUSTMENT);
    deviceCharges =
        new DeviceCharges(
            SharedDatabase.transaction(),
            jdbc,
            tariffs,
            surcharges,
            ledger,
            rules,
            new DeviceCharges.Rules(CHARGE_AFTER, DEVICE_BOUND, ADJUSTMENT));
    ReportPosting posting =
        new ReportPosting(SharedDatabase.transaction(), jdbc, tariffs, surcharges, ledger, rules);
    intake = new ReportIntake(posting, keys, PROOFS, refused, (_, _) -> {}, clock, meters);
    mediation =
        new MediationService(
            intake, new DeviceReportIntake(devices, keys, PROOFS, clock, meters), clocks);
    release = new HeldReportRelease(held, keys, PROOFS, posting, (_, _) -> {});
  }

  void openAccount(String id) {
    accounts.open(id, "password-of-" + id, Role.USER, id, clock.instant());
  }

  /// Grants money that expires, once per key.
  void grant(String key, String account, long microdenarii, Instant expiresAt) {
    var unused =
        grants.grant(
            new Grants.Wanted(
                key, account, new MicroDenarii(microdenarii), expiresAt, "test", "operator"),
            clock.instant());
  }

  /// Returns what is left of an account's wallets: first those that are spent first, last those
  /// that have expired, in micro-denarii.
  List<Long> rests(String account) {
    return wallets.page(account, null, 100).stream().map(wallet -> wallet.rest().value()).toList();
  }

  List<ReportAck> submit(UsageReport... reports) {
    return mediation.submit(Reports.request(clock.instant(), Arrays.asList(reports))).getAcksList();
  }

  ReportAck submit(SignedUsageReport envelope) {
    return mediation
        .submit(Reports.requestOf(clock.instant(), List.of(envelope)))
        .getAcksList()
        .getFirst();
  }

  ReportVerdict submit(SignedDeviceReport report) {
    return mediation
        .submit(
            SubmitDeviceReportsRequest.newBuilder()
                .setReceivedMs(clock.millis())
                .addReports(report)
                .addTokenKeys(Reports.PROVEN.tokenKey())
                .build())
        .getAcks(0)
        .getVerdict();
  }

  /// Charges what is due by devices' reports.
  void chargeByDevices() {
    deviceCharges.work(clock.instant());
  }

  ReportVerdict verdict(UsageReport report) {
    return submit(report).getFirst().getVerdict();
  }

  long balance(String account) {
    return ledger.balance(LedgerAccount.user(account)).value();
  }

  List<LedgerVerification.Check> broken() {
    return verification.run().stream().filter(c -> !c.holds()).toList();
  }

  double refusals(String reason) {
    return meters
        .get("viaduct_reports_refused")
        .tag("reason", reason.toLowerCase(Locale.ROOT))
        .counter()
        .count();
  }
}
