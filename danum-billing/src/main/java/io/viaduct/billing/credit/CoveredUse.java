package io.viaduct.billing.credit;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;

import io.viaduct.billing.rating.Use;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.jdbc.core.JdbcTemplate;

/// Releases the reservations of use that posted reports charge, in the transaction that posts them.
/// The caller has taken the [CreditLock] of their accounts. So at no time is a use neither reserved
/// nor charged.
public final class CoveredUse {
  private final Quotas quotas;
  private final HighestPrices prices;
  private final Instant now;

  /// @param prices highest prices at the SNAPTs of the reports
  public CoveredUse(JdbcTemplate batches, HighestPrices prices, Instant now) {
    quotas = new Quotas(batches);
    this.prices = prices;
    this.now = now;
  }

  /// Releases what the reports cover. Sessions without credit control are left out.
  public void cover(List<PostedReport> reports) {
    Set<SessionKey> sessions = reports.stream().map(PostedReport::key).collect(toSet());
    Map<SessionKey, List<Quota>> held =
        quotas.ofSessions(sessions).stream().collect(groupingBy(Quota::session));
    Map<SessionKey, String> accounts = new HashMap<>();
    List<Passed> passed = new ArrayList<>();
    for (PostedReport report : reports) {
      passed.addAll(passed(report, held.getOrDefault(report.key(), List.of())));
      if (held.computeIfPresent(report.key(), (_, of) -> covered(report, of)) != null) {
        accounts.put(report.key(), report.account());
      }
    }
    if (accounts.isEmpty()) {
      return;
    }
    accounts.forEach(
        (session, account) -> quotas.save(account, held.getOrDefault(session, List.of())));
    quotas.heard(accounts.keySet(), now);
    quotas.sweep(accounts.keySet());
    quotas.wake(accounts.values());
    quotas.passed(passed);
  }

  /// The rule that let the traffic of an application pass.
  record Passed(long interval, Application application, PassRule rule) {}

  private static List<Passed> passed(PostedReport report, List<Quota> held) {
    Map<Application, Use> flows = report.byApplication();
    return held.stream()
        .filter(quota -> flows.containsKey(quota.application()))
        .map(quota ->
            new Passed(
                report.interval(),
                quota.application(),
                quota.passed(flows.getOrDefault(quota.application(), Use.NONE).bytes())))
        .toList();
  }

  private List<Quota> covered(PostedReport report, List<Quota> held) {
    Map<Application, Use> flows = report.byApplication();
    Use interval = new Use(0, 0, report.intervalMs());
    return held.stream()
        .map(quota ->
            quota.covered(
                flows.getOrDefault(quota.application(), Use.NONE).plus(interval), prices.of(quota)))
        .toList();
  }
}
