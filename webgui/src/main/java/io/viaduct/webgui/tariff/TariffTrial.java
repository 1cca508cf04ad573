package io.viaduct.webgui.tariff;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.viaduct.webgui.billing.MicroDenarii;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Cost that a time that is over would have had under a draft.
///
/// @param coveredTo end of the time that was rated
/// @param isComplete false if a bound on charges or seconds was reached
public record TariffTrial(
    Instant from,
    Instant to,
    Instant coveredTo,
    @JsonProperty("complete") boolean isComplete,
    long chargesMax,
    long secondsMax,
    long reports,
    long accounts,
    Sum total,
    List<Named> classes,
    List<Named> applications,
    List<Group> groups,
    List<Account> changes) {
  public TariffTrial {
    Objects.requireNonNull(from);
    Objects.requireNonNull(to);
    Objects.requireNonNull(coveredTo);
    Objects.requireNonNull(total);
    classes = List.copyOf(classes);
    applications = List.copyOf(applications);
    groups = List.copyOf(groups);
    changes = List.copyOf(changes);
  }

  /// The lines of a bill.
  public record Bill(
      MicroDenarii chargeMicrodenarii,
      MicroDenarii discountMicrodenarii,
      MicroDenarii accessFeeMicrodenarii,
      MicroDenarii surchargeMicrodenarii,
      MicroDenarii promiseRefundMicrodenarii,
      MicroDenarii netMicrodenarii) {
    public Bill {
      Objects.requireNonNull(chargeMicrodenarii);
      Objects.requireNonNull(discountMicrodenarii);
      Objects.requireNonNull(accessFeeMicrodenarii);
      Objects.requireNonNull(surchargeMicrodenarii);
      Objects.requireNonNull(promiseRefundMicrodenarii);
      Objects.requireNonNull(netMicrodenarii);
    }
  }

  /// Sums as they were posted, and under the draft.
  public record Sum(
      long charges,
      long preBytes,
      Bill before,
      Bill after,
      MicroDenarii capBeforeMicrodenarii,
      MicroDenarii capAfterMicrodenarii,
      MicroDenarii paidBeforeMicrodenarii,
      MicroDenarii paidAfterMicrodenarii) {
    public Sum {
      Objects.requireNonNull(before);
      Objects.requireNonNull(after);
      Objects.requireNonNull(capBeforeMicrodenarii);
      Objects.requireNonNull(capAfterMicrodenarii);
      Objects.requireNonNull(paidBeforeMicrodenarii);
      Objects.requireNonNull(paidAfterMicrodenarii);
    }

    /// By how much the payment would change, in percent; null if it was 0.
    public @Nullable Double paidPercent() {
      return percent(paidBeforeMicrodenarii, paidAfterMicrodenarii);
    }

    /// By how much the net amount would change, in percent; null if it was 0.
    public @Nullable Double netPercent() {
      return percent(before.netMicrodenarii(), after.netMicrodenarii());
    }
  }

  /// The sum of a class or an application.
  public record Named(@Nullable String name, Sum sum) {
    public Named {
      Objects.requireNonNull(sum);
    }
  }

  /// Accounts that paid between two amounts.
  ///
  /// @param leastMicrodenarii included; null without a bound
  /// @param mostMicrodenarii excluded; null without a bound
  public record Group(
      @Nullable MicroDenarii leastMicrodenarii,
      @Nullable MicroDenarii mostMicrodenarii,
      long accounts,
      long rises,
      long falls,
      MicroDenarii paidBeforeMicrodenarii,
      MicroDenarii paidAfterMicrodenarii) {
    public Group {
      Objects.requireNonNull(paidBeforeMicrodenarii);
      Objects.requireNonNull(paidAfterMicrodenarii);
    }

    /// By how much the payment would change, in percent; null if it was 0.
    public @Nullable Double percent() {
      return TariffTrial.percent(paidBeforeMicrodenarii, paidAfterMicrodenarii);
    }
  }

  /// An account whose payment would change much.
  public record Account(
      String account, MicroDenarii paidBeforeMicrodenarii, MicroDenarii paidAfterMicrodenarii) {
    public Account {
      Objects.requireNonNull(account);
      Objects.requireNonNull(paidBeforeMicrodenarii);
      Objects.requireNonNull(paidAfterMicrodenarii);
    }

    /// By how much the payment would rise.
    public MicroDenarii rise() {
      return new MicroDenarii(paidAfterMicrodenarii.value() - paidBeforeMicrodenarii.value());
    }
  }

  private static @Nullable Double percent(MicroDenarii before, MicroDenarii after) {
    return before.value() == 0
        ? null
        : 100.0 * (after.value() - before.value()) / Math.abs(before.value());
  }
}
