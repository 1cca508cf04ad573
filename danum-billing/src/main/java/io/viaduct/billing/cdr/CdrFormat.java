package io.viaduct.billing.cdr;

import java.time.Instant;
import java.util.List;

/// The form of a file of charging data records.
sealed interface CdrFormat permits TextFormat, ThreeGppFormat {
  /// The facts about a file beside its records.
  ///
  /// @param cause closure trigger reason (TS 32.297, section 6.1.1)
  record Head(long sequence, int cause, int records, Instant openedAt, Instant closedAt) {}

  /// Returns a record as it stands in a file.
  byte[] encode(CdrRecord record);

  /// Returns a file.
  ///
  /// @param records encoded records
  byte[] file(Head head, List<byte[]> records);

  /// Returns the end of file names, without a dot.
  String extension();
}
