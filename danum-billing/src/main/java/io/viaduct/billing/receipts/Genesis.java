package io.viaduct.billing.receipts;

import com.google.protobuf.ByteString;
import io.viaduct.usage.statement.StatementReceipt;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/// Reads the hash that the first receipt of a chain names. It is the hash of the account's id and a
/// salt. An erasure changes the id and deletes the salt, so it keeps the hash (ADR 0085).
final class Genesis {
  /// The columns that [#of] reads, of `receipt_chain c`.
  static final String COLUMNS = "c.salt, c.genesis";

  private Genesis() {}

  static ByteString of(ResultSet row, String account) throws SQLException {
    ByteString kept = octets(row, "genesis");
    return kept.isEmpty() ? StatementReceipt.genesis(account, octets(row, "salt")) : kept;
  }

  /// Returns the octets of a column, or none if it is null.
  static ByteString octets(ResultSet row, String column) throws SQLException {
    byte @Nullable [] octets = row.getBytes(column);
    return octets == null ? ByteString.EMPTY : ByteString.copyFrom(octets);
  }
}
