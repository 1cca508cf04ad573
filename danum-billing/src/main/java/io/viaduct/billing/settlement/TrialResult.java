package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.ServiceClass;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Cost that a time that is over would have had under another tariff.
///
/// @param from start of the time that was asked for
/// @param coveredTo end of the time that was rated; before the end that was asked for if a bound
///   was reached
/// @param isComplete false if a bound was reached
/// @param reports reports that were rated
/// @param total all accounts together
/// @param classes by class of service
/// @param applications the applications that cost most under either tariff
/// @param groups accounts, grouped by what they paid
/// @param changes the accounts whose payment would rise or fall most, the largest change first
public record TrialResult(
    Instant from,
    Instant coveredTo,
    boolean isComplete,
    long reports,
    long accounts,
    Compared total,
    Map<ServiceClass, Compared> classes,
    List<NamedComparison> applications,
    List<AccountGroup> groups,
    List<AccountComparison> changes) {
  /// A sum of bills under the tariffs that were in force, and under the draft.
  ///
  /// @param charges flows that were rated
  /// @param capBefore given back because of the caps that were in force
  /// @param capAfter given back because of the draft's caps
  public record Compared(
      long charges,
      long preBytes,
      BillLines before,
      BillLines after,
      MicroDenarii capBefore,
      MicroDenarii capAfter) {
    /// Returns what was paid.
    public MicroDenarii paidBefore() {
      return before.net().minus(capBefore);
    }

    /// Returns what would have been paid.
    public MicroDenarii paidAfter() {
      return after.net().minus(capAfter);
    }
  }

  /// The sum of one application.
  public record NamedComparison(String name, Compared sums) {}

  /// Accounts that paid between two amounts.
  ///
  /// @param least least amount that they paid, included; null without a bound
  /// @param most amount that they paid less than; null without a bound
  /// @param rises accounts that would pay more
  /// @param falls accounts that would pay less
  public record AccountGroup(
      @Nullable MicroDenarii least,
      @Nullable MicroDenarii most,
      long accounts,
      long rises,
      long falls,
      MicroDenarii before,
      MicroDenarii after) {}

  /// Payment of one account, as it was and as it would have been.
  public record AccountComparison(String account, MicroDenarii before, MicroDenarii after) {
    /// Returns by how much the payment would rise.
    public MicroDenarii rise() {
      return after.minus(before);
    }
  }
}
