package io.viaduct.billing.ro;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.ro.RoRequest.Kind;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The credit of an account at the charging system, at one moment.
///
/// @param balance present balance
/// @param reserved sum of the reservations
/// @param isLive true if a session of the account asks for quotas, or has just been refused
/// @param base balance when the charging system was first asked, or zero if money was there
/// @param told use that it knows
/// @param granted credit beyond that use
/// @param session Session-Id; null without a session
/// @param isLast true if it has said that these are the last units
/// @param validUntil time at which the grant is renewed
record RoAccount(
    String account,
    MicroDenarii balance,
    MicroDenarii reserved,
    boolean isLive,
    MicroDenarii base,
    MicroDenarii told,
    MicroDenarii granted,
    @Nullable String session,
    boolean isLast,
    Instant validUntil) {

  /// Returns the use that it does not know yet. A refund may make it smaller; it is never below
  /// zero.
  MicroDenarii untold() {
    MicroDenarii used = base.minus(balance).minus(told);
    return used.value() < 0 ? MicroDenarii.ZERO : used;
  }

  /// Returns the granted credit that is neither used nor reserved.
  MicroDenarii rest() {
    return granted.minus(untold()).minus(reserved);
  }

  /// Returns the request that is due now. Late use alone begins no session: it is told with the
  /// next one.
  Optional<Kind> due(RoRules rules, Instant now) {
    boolean isNeeded = isLive || reserved.value() > 0;
    if (session == null) {
      return isLive ? Optional.of(Kind.INITIAL) : Optional.empty();
    }
    if (!isNeeded) {
      boolean isOver = validUntil.plus(rules.idle()).isBefore(now);
      return isOver ? Optional.of(Kind.TERMINATION) : Optional.empty();
    }
    boolean isShort = !isLast && rest().value() < rules.chunk().value() / 2;
    return isShort || !now.isBefore(validUntil) ? Optional.of(Kind.UPDATE) : Optional.empty();
  }

  /// Returns the credit that a request of this kind wants: what is reserved, and a chunk beside it.
  MicroDenarii wanted(Kind kind, RoRules rules) {
    return kind == Kind.TERMINATION ? MicroDenarii.ZERO : reserved.plus(rules.chunk());
  }
}
