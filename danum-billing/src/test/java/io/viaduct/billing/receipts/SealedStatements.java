package io.viaduct.billing.receipts;

import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.database.Snapshot;
import io.viaduct.denarii.statement.StatementCheck;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;

/// Signed statements of accounts in the shared database, made at once and checked by `denarii`.
public final class SealedStatements {
  private static final StatementKey KEY = new StatementKey(new byte[32]);

  private SealedStatements() {}

  /// Seals what waits, writes the statement of an account and checks it.
  ///
  /// @param test time of the test. Its day gets a root, so that nothing waits for another day
  public static StatementCheck.Result check(String account, InstantSource test) {
    try {
      return StatementCheck.of(
          new ByteArrayInputStream(file(account, test)),
          new StatementCheck.Known(Map.of(), Map.of(), Set.of(), Set.of()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Seals what waits, and returns the statement of an account.
  ///
  /// @param test as for [#check]
  public static byte[] file(String account, InstantSource test) {
    InstantSource clock = () -> test.instant().plus(Duration.ofDays(1)).plus(DayRoots.CLOSING);
    ReceiptSealer sealer =
        new ReceiptSealer(SharedDatabase.transaction(), SharedDatabase.jdbc(), KEY, clock);
    DayRoots roots = new DayRoots(SharedDatabase.transaction(), SharedDatabase.jdbc(), KEY, clock);
    sealer.seal();
    roots.publishDue();
    sealer.seal();
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    try {
      new StatementFiles(
              SharedDatabase.client(),
              new Snapshot(SharedDatabase.transactions()),
              roots,
              KEY,
              clock)
          .write(account, null, null, file);
      return file.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
