package io.viaduct.billing.mediation;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.Passwords;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.account.TopUps;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.LedgerVerification;
import io.viaduct.billing.settlement.IntervalStore;
import io.viaduct.billing.settlement.ReportPosting;
import io.viaduct.billing.settlement.SequenceGaps;
import io.viaduct.billing.settlement.Settlement;
import io.viaduct.billing.settlement.SettlementRules;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.springframework.jdbc.core.JdbcTemplate;

/// Mediation down to the real database, without sockets, with a manual clock.
final class MediationRig {
  static final Duration GRACE = Duration.ofMinutes(10);
  static final Duration ADJUSTMENT = Duration.ofHours(24);
  private static final Passwords PASSWORDS = new Passwords();

  final ManualClock clock = new ManualClock();
  final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  final JdbcTemplate jdbc = SharedDatabase.jdbc();
  final Ledger ledger = new Ledger(jdbc);
  final TariffBook tariffs = new TariffBook(jdbc, SharedDatabase.transaction());
  final Accounts accounts = new Accounts(jdbc, SharedDatabase.transaction(), ledger, PASSWORDS);
  final TopUps topUps = new TopUps(SharedDatabase.transaction(), jdbc, ledger);
  final Settlement settlement = new Settlement(SharedDatabase.transaction(), jdbc, tariffs, ledger);
  final SequenceGaps gaps = new SequenceGaps(jdbc);
  final RefusedReports refused = new RefusedReports(jdbc);
  final LedgerVerification verification =
      new LedgerVerification(jdbc, SharedDatabase.transactions());
  final MediationService mediation;

  /// @param owner of every SNAPT
  MediationRig(String owner) {
    tariffs.stock(clock.instant());
    accounts.open("operator", "operator-secret", Role.OPERATOR, "Operator", clock.instant());
    mediation =
        new MediationService(
            new ReportPosting(
                SharedDatabase.transaction(),
                new IntervalStore(jdbc),
                tariffs,
                ledger,
                new SettlementRules(GRACE, ADJUSTMENT, _ -> owner)),
            refused,
            (_, _) -> {},
            clock,
            meters);
  }

  void openAccount(String id) {
    accounts.open(id, "password-of-" + id, Role.USER, id, clock.instant());
  }

  List<ReportAck> submit(UsageReport... reports) {
    return mediation.submit(Reports.request(clock.instant(), Arrays.asList(reports))).getAcksList();
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
        .get("viaduct.reports.refused")
        .tag("reason", reason.toLowerCase(Locale.ROOT))
        .counter()
        .count();
  }
}
