package io.viaduct.billing.credit;

import io.viaduct.billing.ledger.MicroDenarii;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Notices each change of an account's credit state once, with hysteresis: credit that moves around
/// a threshold is noticed once. Likewise each cap of the user, once in its period, when it is
/// reached. The caller holds the lock of the account.
///
/// @param low credit below it is low
/// @param hysteresis credit must exceed a threshold by it to count as above it again
public final class CreditNotices {
  private final CreditStore store;
  private final JdbcClient jdbc;
  private final MicroDenarii low;
  private final MicroDenarii hysteresis;
  private final boolean hasWebhook;

  CreditNotices(
      CreditStore store,
      JdbcClient jdbc,
      MicroDenarii low,
      MicroDenarii hysteresis,
      boolean hasWebhook) {
    this.store = store;
    this.jdbc = jdbc;
    this.low = low;
    this.hysteresis = hysteresis;
    this.hasWebhook = hasWebhook;
  }

  /// What a decision refused.
  ///
  /// @param byCredit true if a quota was refused because too little credit is left
  /// @param byCap likewise because a cap leaves too little
  record Refused(boolean byCredit, boolean byCap) {}

  /// Stores the account's state and the cap that it has reached, and a notice of each that is new.
  ///
  /// @return the state
  CreditState look(AccountCredit credit, Refused refused, Instant now) {
    MicroDenarii threshold = credit.low() == null ? low : credit.low();
    CreditState next = next(credit.state(), credit.credit(), threshold, refused.byCredit());
    ReachedCap reached = reached(credit, refused.byCap(), LocalDate.ofInstant(now, ZoneOffset.UTC));
    long below = Math.max(lookBelow(next, credit, threshold), capBelow(credit, reached));
    store.state(credit.account(), next, reached, below);
    if (next != credit.state()) {
      notice(credit, CreditNotice.Edge.valueOf(next.name()), now);
    }
    if (reached != null && !reached.equals(credit.reachedCap())) {
      notice(credit, reached.edge(), now);
    }
    return next;
  }

  private void notice(AccountCredit credit, CreditNotice.Edge edge, Instant now) {
    jdbc.sql(
            """
            insert into credit_notice (account, state, credit_microdenarii, noticed_at, delivery, next_attempt_at)
            values (:account, :state, :credit, :now, :delivery, :now)
            """)
        .param("account", credit.account())
        .param("state", edge.name())
        .param("credit", credit.credit().value())
        .param("now", Timestamp.from(now))
        .param("delivery", hasWebhook ? "DUE" : "NONE")
        .update();
  }

  // The month comes first: a day that ends, or a higher cap for it, does not help then.
  private @Nullable ReachedCap reached(AccountCredit credit, boolean isRefused, LocalDate today) {
    ReachedCap.Period tightest = tightest(credit);
    for (ReachedCap.Period period : List.of(ReachedCap.Period.MONTH, ReachedCap.Period.DAY)) {
      MicroDenarii cap = credit.caps().of(period);
      MicroDenarii left = credit.left(period);
      if (cap == null || left == null) {
        continue;
      }
      ReachedCap known = credit.reachedCap();
      boolean isKnown = known != null && known.isStill(period, cap);
      boolean isNear =
          left.compareTo(hysteresis) < 0 && (isKnown || isRefused && period == tightest);
      if (left.value() <= 0 || isNear) {
        return isKnown ? known : new ReachedCap(period, today, cap);
      }
    }
    return null;
  }

  private static ReachedCap.@Nullable Period tightest(AccountCredit credit) {
    MicroDenarii day = credit.left(ReachedCap.Period.DAY);
    MicroDenarii month = credit.left(ReachedCap.Period.MONTH);
    if (day == null || month == null) {
      return day != null ? ReachedCap.Period.DAY : month != null ? ReachedCap.Period.MONTH : null;
    }
    return day.compareTo(month) < 0 ? ReachedCap.Period.DAY : ReachedCap.Period.MONTH;
  }

  // The balance at which a cap that is not reached will be: charges lower both by the same. On the
  // next day it is too high, and the account is looked at once more than needed.
  private static long capBelow(AccountCredit credit, @Nullable ReachedCap reached) {
    if (reached != null && reached.period() == ReachedCap.Period.MONTH) {
      return Long.MIN_VALUE;
    }
    long below = Long.MIN_VALUE;
    for (ReachedCap.Period period : ReachedCap.Period.values()) {
      MicroDenarii left = credit.left(period);
      if (left != null && left.value() > 0 && (reached == null || reached.period() != period)) {
        below = Math.max(below, credit.balance().minus(left).value() + 1);
      }
    }
    return below;
  }

  CreditState next(CreditState state, MicroDenarii credit, MicroDenarii low, boolean isRefused) {
    boolean isNearZero = credit.compareTo(hysteresis) < 0;
    if (credit.value() <= 0 || isNearZero && (isRefused || state == CreditState.EXHAUSTED)) {
      return CreditState.EXHAUSTED;
    }
    MicroDenarii threshold = state == CreditState.SUFFICIENT ? low : low.plus(hysteresis);
    return credit.compareTo(threshold) < 0 ? CreditState.LOW : CreditState.SUFFICIENT;
  }

  /// Returns accounts whose state is not what their credit says: a wallet has expired, a
  /// notification was missed, or the thresholds were changed.
  ///
  /// @param limit most accounts
  List<String> overdue(Instant now, int limit) {
    return jdbc.sql(
            """
            with expired as (select account, sum(rest_microdenarii) as rest from open_wallet
                where expires_at <= :now group by account),
              seen as (select c.account, c.state, look_below_microdenarii < 9223372036854775807
                and balance_microdenarii >= look_below_microdenarii as armed,
                balance_microdenarii + coalesce(credit_limit_microdenarii, :default) - coalesce(e.rest, 0) as credit,
                coalesce(low_microdenarii, :low) as low
                from credit_account c left join expired e on e.account = c.account)
            select account from seen where not armed
              or state = 'EXHAUSTED' and credit >= :near or state = 'LOW' and credit >= low + :hysteresis
              or state = 'SUFFICIENT' and credit < low or state <> 'EXHAUSTED' and credit <= 0 limit :limit
            """)
        .param("now", Timestamp.from(now))
        .param("default", store.defaultLimit().value())
        .param("near", Math.max(1, hysteresis.value()))
        .param("low", low.value())
        .param("hysteresis", hysteresis.value())
        .param("limit", limit)
        .query(String.class)
        .list();
  }

  // The next edge downwards, as a balance. Upwards every change is looked at.
  private static long lookBelow(CreditState state, AccountCredit credit, MicroDenarii low) {
    MicroDenarii balanceAtZero = credit.balance().minus(credit.credit());
    return switch (state) {
      case SUFFICIENT -> balanceAtZero.plus(low).value();
      case LOW -> balanceAtZero.value() + 1;
      case EXHAUSTED -> Long.MIN_VALUE;
    };
  }
}
