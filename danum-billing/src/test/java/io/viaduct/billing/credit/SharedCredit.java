package io.viaduct.billing.credit;

import io.viaduct.billing.credit.HighestPrices.Bound;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.HighestPrice;
import io.viaduct.billing.rating.Use;
import io.viaduct.billing.tariff.OperatingPoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/// One account, its sessions and billing in simulated time. Billing decides by [AccountQuotas]
/// only, as [CreditControl] does; each session asks, holds and reports as a SNAPT does. Everything
/// that was carried is known here.
final class SharedCredit {
  static final int STEP_MS = 50;
  private static final int INTERVAL_MS = 60_000;
  private static final int SHORT_INTERVAL_MS = 250;
  private static final int AGAIN_MS = 5_000;
  private static final int ASKED_BACK_MS = 250;
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
  private static final Bound PRICE =
      new Bound(List.of(new HighestPrice(OperatingPoint.MEASURED, 10, 400, 0, 0)));
  private static final GrantRules RULES =
      new GrantRules(
          Duration.ofSeconds(2),
          65_536,
          Duration.ofSeconds(5),
          Duration.ofMillis(200),
          Duration.ofSeconds(60));

  private final long credit;
  private final Random random;
  private final List<Carried> all = new ArrayList<>();
  private final Map<Integer, Long> intervals = new HashMap<>(); // begin of each session's
  private final Map<Integer, Long> askedBack = new HashMap<>(); // when each session was
  private final Set<Integer> chargedSoon = new HashSet<>(); // sessions whose interval is to end
  private final List<Report> underWay = new ArrayList<>();
  private List<Quota> quotas = List.of();
  private boolean isWoken;
  private long nowMs;
  private long charged;
  private long reports;

  /// Use of one application that is on its way to billing.
  private record Report(long dueMs, Carried of, Use use) {}

  /// One application of one session, at its SNAPT.
  private static final class Carried {
    final int session;
    final Application application;
    final double rate;
    final long beginMs;
    final long endMs;
    Use used = Use.NONE;
    Use reported = Use.NONE;
    Use posted = Use.NONE;
    long grantedBytes;
    long halfBytes;
    long voidMs;
    long halfMs;
    boolean isLast;
    boolean isGranted;
    boolean isToldActive;
    long againMs;
    long waitsMs;

    Carried(int session, Application application, double rate, long beginMs, long endMs) {
      this.session = session;
      this.application = application;
      this.rate = rate;
      this.beginMs = beginMs;
      this.endMs = endMs;
    }

    SessionKey key() {
      return new SessionKey("snapt-1", "session-" + session);
    }

    boolean isActive(long nowMs) {
      return beginMs <= nowMs && nowMs < endMs;
    }

    boolean isPaid(long nowMs) {
      return isGranted && used.bytes() < grantedBytes && nowMs + STEP_MS <= voidMs;
    }

    boolean isNeeded(long nowMs) {
      if (isToldActive && !isActive(nowMs)) {
        return isGranted && nowMs >= halfMs;
      }
      return isActive(nowMs)
          && nowMs >= againMs
          && (!isPaid(nowMs) || used.bytes() >= halfBytes || nowMs >= halfMs);
    }

    void carry(long nowMs) {
      boolean isPaid = isPaid(nowMs);
      if (isPaid && isActive(nowMs)) {
        long bytes = Math.min((long) (rate * STEP_MS / 1e3), grantedBytes - used.bytes());
        used = used.plus(new Use(bytes, STEP_MS, STEP_MS));
      }
      waitsMs = isActive(nowMs) && !isPaid ? waitsMs + STEP_MS : 0;
    }

    void grant(Quota quota, long nowMs) {
      isGranted = true;
      isLast = quota.isCut();
      grantedBytes = quota.allowed().bytes();
      halfBytes = used.bytes() + Math.max(0, grantedBytes - used.bytes()) / 2;
      voidMs = Duration.between(BEGIN, quota.validUntil()).minus(GrantRules.LATE).toMillis();
      halfMs = nowMs + Math.max(0, voidMs - nowMs) / 2;
      againMs = isLast && !isPaid(nowMs) ? nowMs + AGAIN_MS : nowMs;
    }

    boolean isShort() {
      return isGranted && isLast && used.bytes() >= halfBytes;
    }

    Use unreported() {
      return less(used, reported);
    }
  }

  SharedCredit(long credit, Random random) {
    this.credit = credit;
    this.random = random;
  }

  void add(int session, Application application, double rate, long beginMs, long endMs) {
    all.add(new Carried(session, application, rate, beginMs, endMs));
    intervals.put(session, 0L);
  }

  long nowMs() {
    return nowMs;
  }

  long credit() {
    return credit;
  }

  /// Returns what amounts are rounded up by at most: a micro-denarius for each report, and for what
  /// each application has used since.
  long rounding() {
    return reports + all.size();
  }

  boolean isGoingOn() {
    return all.stream().anyMatch(each -> nowMs < each.endMs);
  }

  /// Returns all charges, and what the use costs at most that is not charged.
  long spentAtMost() {
    return charged
        + all.stream().mapToLong(each -> PRICE.charge(each.used.beyond(each.posted)).value()).sum();
  }

  long left() {
    return credit - spentAtMost();
  }

  /// Returns credit of which each application that is active could have its smallest grant: halves
  /// of halves are shared.
  long enoughForAll() {
    List<Carried> active = all.stream().filter(each -> each.isActive(nowMs)).toList();
    long smallest =
        active.stream()
            .mapToLong(each -> {
              long bytes = Math.max(65_536, (long) (each.rate * 2));
              return PRICE.charge(new Use(bytes, 200, 200)).value();
            })
            .max()
            .orElse(0);
    return smallest << active.size();
  }

  long longestWaitMs() {
    return all.stream()
        .filter(each -> each.isActive(nowMs))
        .mapToLong(each -> each.waitsMs)
        .max()
        .orElse(0);
  }

  /// Lets 50 ms pass.
  void step() {
    all.forEach(each -> each.carry(nowMs));
    nowMs += STEP_MS;
    post();
    for (int session : intervals.keySet()) {
      boolean isNeeded = of(session).stream().anyMatch(each -> each.isNeeded(nowMs));
      if (isNeeded) {
        ask(session);
      }
      boolean isShort =
          chargedSoon.contains(session)
              || of(session).stream()
                  .anyMatch(each -> each.isShort() && each.unreported().bytes() > 0);
      endInterval(session, isShort ? SHORT_INTERVAL_MS : INTERVAL_MS);
    }
    if (isWoken) {
      push();
    }
  }

  private List<Carried> of(int session) {
    return all.stream().filter(each -> each.session == session).toList();
  }

  private AccountQuotas decision() {
    long reserved = quotas.stream().mapToLong(each -> each.reserved().value()).sum();
    var account =
        new AccountCredit(
            "alice",
            AccountCredit.Access.OPEN,
            new MicroDenarii(credit - charged),
            MicroDenarii.ZERO,
            AccountCredit.Caps.NONE,
            MicroDenarii.ZERO,
            MicroDenarii.ZERO,
            new MicroDenarii(reserved),
            CreditState.SUFFICIENT,
            null,
            1,
            null,
            MicroDenarii.ZERO);
    var decision = new AccountQuotas(quotas, RULES, (_, _) -> PRICE, account, now());
    decision.releaseLapsed();
    return decision;
  }

  private Instant now() {
    return BEGIN.plusMillis(nowMs);
  }

  private void ask(int session) {
    AccountQuotas decision = decision();
    List<Carried> told =
        of(session).stream().filter(each -> each.isActive(nowMs) || each.isToldActive).toList();
    for (Carried each : told) {
      decision.put(told(each, decision));
    }
    for (Carried each : told) {
      Quota quota = find(each, decision);
      Quota answer = each.isToldActive ? decision.grant(quota) : decision.release(quota);
      each.grant(answer, nowMs);
      each.isGranted &= each.isToldActive;
    }
    isWoken |= decision.hasNews();
    quotas = decision.all();
  }

  private Quota told(Carried each, AccountQuotas decision) {
    Quota known = decision.find(each.key(), each.application);
    Quota before =
        known == null ? Quota.first(each.key(), each.application, each.posted, now()) : known;
    each.isToldActive = each.isActive(nowMs);
    return before.told(
        new UsedByApplication(
            each.application,
            each.used,
            each.waitsMs > 0 ? 0 : each.rate,
            each.isToldActive ? 1 : 0),
        PRICE);
  }

  private static Quota find(Carried each, AccountQuotas decision) {
    Quota quota = decision.find(each.key(), each.application);
    if (quota == null) {
      throw new IllegalStateException("no quota of " + each.application);
    }
    return quota;
  }

  // A session that holds credit tells its use, and its interval ends.
  private void push() {
    isWoken = false;
    AccountQuotas decision = decision();
    Set<SessionKey> sessions = all.stream().map(Carried::key).collect(Collectors.toSet());
    decision.regrant(sessions);
    quotas = decision.all();
    for (Carried each : all) {
      Quota quota = decision.find(each.key(), each.application);
      if (quota != null && each.isToldActive) {
        each.grant(quota, nowMs);
      }
    }
    if (decision.isAnyWaiting()) {
      Set<SessionKey> holders = decision.holders();
      for (int session : intervals.keySet()) {
        boolean isHolder = of(session).stream().anyMatch(each -> holders.contains(each.key()));
        if (isHolder && nowMs - askedBack.getOrDefault(session, -1L << 32) >= ASKED_BACK_MS) {
          askedBack.put(session, nowMs);
          ask(session);
          chargedSoon.add(session);
        }
      }
    }
  }

  private void endInterval(int session, int leastMs) {
    if (nowMs - intervals.getOrDefault(session, 0L) < leastMs) {
      return;
    }
    long dueMs = nowMs + STEP_MS + random.nextInt(500);
    for (Carried each : of(session)) {
      underWay.add(new Report(dueMs, each, each.unreported()));
      each.reported = each.used;
    }
    intervals.put(session, nowMs);
    chargedSoon.remove(session);
  }

  // A charge is any part of the highest price.
  private void post() {
    List<Report> due = underWay.stream().filter(each -> each.dueMs <= nowMs).toList();
    underWay.removeAll(due);
    for (Report report : due) {
      Carried of = report.of;
      of.posted = of.posted.plus(report.use);
      reports++;
      charged += (long) (PRICE.charge(report.use).value() * random.nextDouble());
      quotas =
          quotas.stream()
              .map(quota ->
                  quota.session().equals(of.key()) && quota.application().equals(of.application)
                      ? quota.covered(report.use, PRICE)
                      : quota)
              .toList();
    }
    isWoken |= !due.isEmpty() && quotas.stream().anyMatch(Quota::isCut);
  }

  private static Use less(Use use, Use by) {
    return new Use(
        use.bytes() - by.bytes(), use.flowMs() - by.flowMs(), use.intervalMs() - by.intervalMs());
  }

  @Override
  public String toString() {
    return "left %d, enough %d, %s".formatted(left(), enoughForAll(), quotas);
  }
}
