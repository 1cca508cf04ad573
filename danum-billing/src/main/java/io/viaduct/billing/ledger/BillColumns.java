package io.viaduct.billing.ledger;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/// The columns of the lines of a bill, which charges and reports have alike.
public final class BillColumns {
  /// The columns in the order of [#values].
  public static final String NAMES =
      "charge_microdenarii, discount_microdenarii, reward_microdenarii, access_fee_microdenarii,"
          + " surcharge_microdenarii, refund_microdenarii";

  /// Question marks for the columns.
  public static final String MARKS = "?, ?, ?, ?, ?, ?";

  private BillColumns() {}

  public static List<Object> values(BillLines lines) {
    return List.of(
        lines.charge().value(),
        lines.discount().value(),
        lines.reward().value(),
        lines.accessFee().value(),
        lines.surcharge().value(),
        lines.refund().value());
  }

  /// Reads the columns of a row.
  public static BillLines read(ResultSet row) throws SQLException {
    return new BillLines(
        amount(row, "charge"),
        amount(row, "discount"),
        amount(row, "reward"),
        amount(row, "access_fee"),
        amount(row, "surcharge"),
        amount(row, "refund"));
  }

  private static MicroDenarii amount(ResultSet row, String line) throws SQLException {
    return new MicroDenarii(row.getLong(line + "_microdenarii"));
  }
}
