package io.viaduct.billing.credit;

import io.viaduct.billing.ledger.MicroDenarii;
import java.time.LocalDate;

/// A cap of the user that was noticed as reached. It counts until its period is over, the cap is
/// raised, or as much as the hysteresis is left of it again.
///
/// @param on day (UTC) of the notice
/// @param amount the cap at that time
record ReachedCap(Period period, LocalDate on, MicroDenarii amount) {
  /// Time that a cap is for.
  enum Period {
    DAY,
    MONTH
  }

  /// Returns true if the period of the notice is not over.
  ///
  /// @param today present day (UTC)
  boolean isOf(LocalDate today) {
    return switch (period) {
      case DAY -> on.equals(today);
      case MONTH -> on.withDayOfMonth(1).equals(today.withDayOfMonth(1));
    };
  }

  /// Returns true if a cap is the one that was noticed: it has not been raised since.
  boolean isStill(Period other, MicroDenarii cap) {
    return period == other && cap.compareTo(amount) <= 0;
  }

  CreditNotice.Edge edge() {
    return period == Period.DAY ? CreditNotice.Edge.CAP_DAY : CreditNotice.Edge.CAP_MONTH;
  }
}
