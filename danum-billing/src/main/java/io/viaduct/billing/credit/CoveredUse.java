package io.viaduct.billing.credit;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingLong;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.viaduct.billing.rating.Use;
import io.viaduct.billing.tariff.ServiceClass;
import java.time.Duration;
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
  /// Time without any request after which a SNAPT counts as one without credit control.
  private static final Duration CONTROL_ENDS = Duration.ofDays(30);

  private final Quotas quotas;
  private final HighestPrices prices;
  private final Instant now;

  /// @param prices highest prices at the SNAPTs of the reports
  public CoveredUse(JdbcTemplate batches, HighestPrices prices, Instant now) {
    quotas = new Quotas(batches);
    this.prices = prices;
    this.now = now;
  }

  /// Releases what the reports cover, and stores the rule that let their traffic pass. SNAPTs
  /// without credit control are left out.
  ///
  /// @return bytes beyond any quota, by interval and class
  public Map<Long, Map<ServiceClass, Long>> cover(List<PostedReport> reports) {
    Set<SessionKey> sessions = reports.stream().map(PostedReport::key).collect(toSet());
    Map<SessionKey, List<Quota>> held =
        quotas.ofSessions(sessions).stream().collect(groupingBy(Quota::session));
    Map<SessionKey, String> accounts = new HashMap<>();
    Set<String> controlled =
        quotas.controlled(
            reports.stream().map(PostedReport::snapt).collect(toSet()), now.minus(CONTROL_ENDS));
    List<Passed> passed = new ArrayList<>();
    for (PostedReport report : reports) {
      passed.addAll(
          passed(
              report,
              held.getOrDefault(report.key(), List.of()),
              controlled.contains(report.snapt())));
      if (held.computeIfPresent(report.key(), (_, of) -> covered(report, of)) != null) {
        accounts.put(report.key(), report.account());
      }
    }
    quotas.passed(passed);
    if (accounts.isEmpty()) {
      return beyond(passed);
    }
    accounts.forEach(
        (session, account) -> quotas.save(account, held.getOrDefault(session, List.of())));
    quotas.heard(accounts.keySet(), now);
    quotas.sweep(accounts.keySet());
    quotas.wake(accounts.values());
    return beyond(passed);
  }

  private static Map<Long, Map<ServiceClass, Long>> beyond(List<Passed> passed) {
    return passed.stream()
        .filter(each -> each.beyondBytes() > 0)
        .collect(
            groupingBy(
                Passed::interval,
                groupingBy(
                    each -> each.application().serviceClass(), summingLong(Passed::beyondBytes))));
  }

  /// The rule that let the traffic of an application pass.
  ///
  /// @param beyondBytes bytes that no quota had allowed
  record Passed(long interval, Application application, PassRule rule, long beyondBytes) {}

  // Traffic without a quota passed because billing was away: billing has never seen a request for
  // it. A flow may have carried nothing in the interval.
  private static List<Passed> passed(PostedReport report, List<Quota> held, boolean isControlled) {
    Map<Application, Quota> quotas =
        held.stream().collect(toMap(Quota::application, quota -> quota));
    List<Passed> passed = new ArrayList<>();
    report
        .byApplication()
        .forEach((application, use) -> {
          Quota quota = quotas.get(application);
          if (quota != null) {
            passed.add(
                new Passed(
                    report.interval(),
                    application,
                    quota.passed(use.bytes()),
                    quota.beyond(use.bytes())));
          } else if (isControlled && use.bytes() > 0) {
            passed.add(
                new Passed(report.interval(), application, PassRule.BEYOND_QUOTA, use.bytes()));
          }
        });
    return passed;
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
