package io.viaduct.billing.credit;

import io.viaduct.billing.ledger.MicroDenarii;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Notices each change of an account's credit state once, with hysteresis: credit that moves around
/// a threshold is noticed once. The caller holds the lock of the account.
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

  /// Stores the account's state, and a notice if it has changed.
  ///
  /// @param isRefused true if a quota was refused because too little credit is left
  /// @return the state
  CreditState look(AccountCredit credit, boolean isRefused, Instant now) {
    MicroDenarii threshold = credit.low() == null ? low : credit.low();
    CreditState next = next(credit.state(), credit.credit(), threshold, isRefused);
    store.state(credit.account(), next, lookBelow(next, credit.limit(), threshold));
    if (next != credit.state()) {
      jdbc.sql(
              """
              insert into credit_notice (account, state, credit_microdenarii, noticed_at, delivery, next_attempt_at)
              values (:account, :state, :credit, :now, :delivery, :now)
              """)
          .param("account", credit.account())
          .param("state", next.name())
          .param("credit", credit.credit().value())
          .param("now", Timestamp.from(now))
          .param("delivery", hasWebhook ? "DUE" : "NONE")
          .update();
    }
    return next;
  }

  CreditState next(CreditState state, MicroDenarii credit, MicroDenarii low, boolean isRefused) {
    boolean isNearZero = credit.compareTo(hysteresis) < 0;
    if (credit.value() <= 0 || isNearZero && (isRefused || state == CreditState.EXHAUSTED)) {
      return CreditState.EXHAUSTED;
    }
    MicroDenarii threshold = state == CreditState.SUFFICIENT ? low : low.plus(hysteresis);
    return credit.compareTo(threshold) < 0 ? CreditState.LOW : CreditState.SUFFICIENT;
  }

  /// Returns accounts whose state is not what their credit says: a notification was missed, or the
  /// thresholds were changed.
  ///
  /// @param limit most accounts
  List<String> overdue(int limit) {
    return jdbc.sql(
            """
            select account from (select account, state, look_below_microdenarii < 9223372036854775807
                and balance_microdenarii >= look_below_microdenarii as armed,
                balance_microdenarii + coalesce(credit_limit_microdenarii, :default) as credit,
                coalesce(low_microdenarii, :low) + :hysteresis as high from credit_account) c
            where not armed or state = 'EXHAUSTED' and credit >= :near or state = 'LOW' and credit >= high limit :limit
            """)
        .param("default", store.defaultLimit().value())
        .param("near", Math.max(1, hysteresis.value()))
        .param("low", low.value())
        .param("hysteresis", hysteresis.value())
        .param("limit", limit)
        .query(String.class)
        .list();
  }

  // The next edge downwards, as a balance. Upwards every change is looked at.
  private static long lookBelow(CreditState state, MicroDenarii limit, MicroDenarii low) {
    return switch (state) {
      case SUFFICIENT -> low.minus(limit).value();
      case LOW -> 1 - limit.value();
      case EXHAUSTED -> Long.MIN_VALUE;
    };
  }
}
