package io.viaduct.billing.credit;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;

import io.viaduct.billing.rating.Use;
import java.time.Instant;
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
    for (PostedReport report : reports) {
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
  }

  private List<Quota> covered(PostedReport report, List<Quota> held) {
    Map<Application, Use> flows = report.byApplication();
    Use interval = new Use(0, 0, report.intervalMs());
    return held.stream()
        .map(quota ->
            quota.covered(
                flows.getOrDefault(quota.application(), Use.NONE).plus(interval),
                prices.of(quota.application())))
        .toList();
  }
}
