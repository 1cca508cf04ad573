package io.viaduct.billing.cdr;

import java.time.Instant;
import java.util.List;

/// The form of a file of charging data records.
sealed interface CdrFormat permits TextFormat, ThreeGppFormat {
  /// The facts about a file beside its records.
  ///
  /// @param cause closure trigger reason (TS 32.297, section 6.1.1)
  /// @param fields number of fields of each record; a file of an earlier version has fewer
  record Head(
      long sequence, int cause, int records, int fields, Instant openedAt, Instant closedAt) {}

  /// Returns a record as it stands in a file.
  ///
  /// @param fields number of its fields that the file has
  byte[] encode(CdrRecord record, int fields);

  /// Returns a file.
  ///
  /// @param records encoded records
  byte[] file(Head head, List<byte[]> records);

  /// Returns the end of file names, without a dot.
  String extension();
}
