package io.viaduct.billing.statement;

import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.MicroDenarii;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneId;
import java.util.List;

/// Movements of an account's balance in a month. The opening balance, the movements and the charges
/// add up to the closing balance.
///
/// @param zone time zone of the month and its days
/// @param from begin of the month
/// @param to its end, excluded; in a month that is not over, the time of the statement
/// @param isWhole true if the month is over
/// @param opening balance at the begin
/// @param movements money that came or went otherwise than for use, by kind
/// @param charges what use cost, by day and class; a day is that of the posting
/// @param total sum of the charges; rewards are not the account's, and zero
/// @param closing balance at the end
public record Statement(
    String account,
    YearMonth month,
    ZoneId zone,
    Instant from,
    Instant to,
    boolean isWhole,
    MicroDenarii opening,
    List<Movement> movements,
    List<DayCharges> charges,
    BillLines total,
    MicroDenarii closing) {
  public Statement {
    movements = List.copyOf(movements);
    charges = List.copyOf(charges);
  }

  /// Money that came to the account, or went.
  ///
  /// @param kind kind of the ledger transactions, such as `TOP_UP`
  /// @param count how many there were
  /// @param amount their sum; negative if it went
  public record Movement(String kind, long count, MicroDenarii amount) {}

  /// The charges of one day and class.
  ///
  /// @param count how many charges; those that were voided count, too, and take their amounts away
  public record DayCharges(LocalDate day, String serviceClass, long count, BillLines lines) {}
}
