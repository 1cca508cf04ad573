package io.viaduct.billing.statement;

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
/// @param total sum of the charges
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
    Lines total,
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
  public record DayCharges(LocalDate day, String serviceClass, long count, Lines lines) {}

  /// Lines of bills, summed. What a user pays is charge + access fee + surcharge − discount −
  /// refund.
  ///
  /// @param refund for promises of the tariff that were broken
  /// @param net what the user paid
  public record Lines(
      MicroDenarii charge,
      MicroDenarii discount,
      MicroDenarii accessFee,
      MicroDenarii surcharge,
      MicroDenarii refund,
      MicroDenarii net) {
    static final Lines NOTHING =
        new Lines(
            MicroDenarii.ZERO,
            MicroDenarii.ZERO,
            MicroDenarii.ZERO,
            MicroDenarii.ZERO,
            MicroDenarii.ZERO,
            MicroDenarii.ZERO);

    Lines plus(Lines other) {
      return new Lines(
          charge.plus(other.charge),
          discount.plus(other.discount),
          accessFee.plus(other.accessFee),
          surcharge.plus(other.surcharge),
          refund.plus(other.refund),
          net.plus(other.net));
    }
  }
}
