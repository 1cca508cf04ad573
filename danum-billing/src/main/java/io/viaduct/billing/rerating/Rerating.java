package io.viaduct.billing.rerating;

import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.MicroDenarii;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A run and what it has done.
///
/// @param number of the run, in the order in which runs were ordered
/// @param listedAt time when its list of intervals was complete; null before
/// @param waiting intervals that are still to be rated
/// @param changed intervals with a new bill
/// @param same intervals whose bill is the same under the corrected tariff
/// @param refunded intervals that keep their bill, because an operator has refunded more of a
///   charge than its new bill
/// @param voided intervals that were void
/// @param difference new bills less those before
/// @param capCredit what the caps of its days gave back since it began, less what they took again;
///   a later run of a day counts for itself
/// @param keptIntervals keys of the first intervals of `refunded`
public record Rerating(
    long number,
    ReratingOrder order,
    Instant createdAt,
    State state,
    @Nullable Instant listedAt,
    long waiting,
    long changed,
    long same,
    long refunded,
    long voided,
    BillLines difference,
    MicroDenarii capCredit,
    List<String> keptIntervals) {
  /// States of a run.
  public enum State {
    RUNNING,
    /// An operator has stopped it; it can be resumed.
    STOPPED,
    /// All intervals have their outcome. An interval that is reported later is rated, too.
    DONE
  }
}
