package io.viaduct.billing.mediation;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.usage.v1.UsageReport;
import java.util.UUID;

/// Makes reports that wait for an operator's decision, in the shared database.
public final class UndecidedReports {
  private UndecidedReports() {}

  /// Submits a report while its account is suspended, so that it is held.
  ///
  /// @return the report's number in the REST interface
  public static long held(String account) {
    var jdbc = SharedDatabase.jdbc();
    jdbc.update("update account set state = 'suspended' where id = ?", account);
    new MediationRig("acme").submit(Reports.signed(worked(account)));
    jdbc.update("update account set state = 'active' where id = ?", account);
    return jdbc.queryForObject(
        "select max(id) from held_report where account = ?", Long.class, account);
  }

  /// Submits a report that no device has signed.
  ///
  /// @return the interval's number in the REST interface
  public static long unsigned(String account) {
    new MediationRig("acme").submit(Reports.unsigned(worked(account)));
    return SharedDatabase.jdbc()
        .queryForObject(
            "select max(id) from charging_interval where account = ?", Long.class, account);
  }

  private static UsageReport worked(String account) {
    return Reports.report(
            "snapt-acme",
            UUID.randomUUID().toString(),
            1,
            0,
            account,
            new ManualClock().instant(),
            Reports.workedExample())
        .build();
  }
}
