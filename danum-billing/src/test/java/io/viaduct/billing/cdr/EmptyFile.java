package io.viaduct.billing.cdr;

import java.time.Instant;
import java.util.List;

/// A file without records.
public final class EmptyFile {
  private EmptyFile() {}

  public static byte[] csv() {
    return TextFormat.CSV.file(
        new CdrFormat.Head(1, 1, 0, CdrRecord.FIELDS, Instant.EPOCH, Instant.EPOCH), List.of());
  }
}
