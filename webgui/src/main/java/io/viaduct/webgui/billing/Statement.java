package io.viaduct.webgui.billing;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Movements of an account's balance in a month.
///
/// @param month such as `2026-11`
/// @param zone time zone of the month and its days
/// @param to end of the month, or the time of the statement if the month is not over
/// @param isWhole true if the month is over
public record Statement(
    String account,
    String month,
    String zone,
    Instant from,
    Instant to,
    @JsonProperty("whole") boolean isWhole,
    MicroDenarii openingMicrodenarii,
    List<Movement> movements,
    List<DayCharges> charges,
    DayCharges total,
    MicroDenarii closingMicrodenarii) {
  public Statement {
    Objects.requireNonNull(account);
    Objects.requireNonNull(month);
    Objects.requireNonNull(zone);
    Objects.requireNonNull(from);
    Objects.requireNonNull(to);
    Objects.requireNonNull(openingMicrodenarii);
    Objects.requireNonNull(total);
    Objects.requireNonNull(closingMicrodenarii);
    movements = List.copyOf(movements);
    charges = List.copyOf(charges);
  }

  /// Money that came or went otherwise than for use.
  ///
  /// @param kind kind of the ledger transactions, such as `TOP_UP`
  public record Movement(String kind, long count, MicroDenarii amountMicrodenarii) {
    public Movement {
      Objects.requireNonNull(kind);
      Objects.requireNonNull(amountMicrodenarii);
    }
  }

  /// Cost of the use of one day in one class.
  ///
  /// @param day in the statement's zone; empty in the total
  public record DayCharges(
      String day,
      @Nullable String serviceClass,
      long count,
      MicroDenarii chargeMicrodenarii,
      MicroDenarii discountMicrodenarii,
      MicroDenarii accessFeeMicrodenarii,
      MicroDenarii surchargeMicrodenarii,
      MicroDenarii promiseRefundMicrodenarii,
      MicroDenarii netMicrodenarii) {
    public DayCharges {
      Objects.requireNonNull(chargeMicrodenarii);
      Objects.requireNonNull(discountMicrodenarii);
      Objects.requireNonNull(accessFeeMicrodenarii);
      Objects.requireNonNull(surchargeMicrodenarii);
      Objects.requireNonNull(promiseRefundMicrodenarii);
      Objects.requireNonNull(netMicrodenarii);
    }
  }
}
