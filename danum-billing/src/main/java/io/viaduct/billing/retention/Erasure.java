package io.viaduct.billing.retention;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Erases users: the id of a closed account becomes a pseudonym in every row, and what is known of
/// the person is deleted. No amount, time or identity of the ledger changes (ADR 0059).
public final class Erasure {
  private static final int PSEUDONYM_BYTES = 8;

  /// Gives connections of the role that owns the tables.
  @FunctionalInterface
  interface Owner {
    DataSource connections() throws IOException;
  }

  /// The result of an erasure.
  public sealed interface Outcome {
    /// The account has this id now.
    record Erased(String pseudonym) implements Outcome {}

    /// Nothing was changed.
    ///
    /// @param reason `unknown`, `not_closed`, `not_final`, `held`, `snapt_owner`, `caps`,
    ///   `unpublished` or `not_exported`
    record Refused(String reason) implements Outcome {}
  }

  private final Owner owner;
  private final SecureRandom random = new SecureRandom();

  Erasure(Owner owner) {
    this.owner = owner;
  }

  /// Erases a closed account.
  ///
  /// @throws org.springframework.dao.DataAccessException if the database is not available; then
  ///   nothing is changed
  public Outcome erase(String account) {
    byte[] bytes = new byte[PSEUDONYM_BYTES];
    random.nextBytes(bytes);
    String pseudonym = "erased-" + HexFormat.of().formatHex(bytes);
    String reason;
    try {
      reason =
          JdbcClient.create(owner.connections())
              .sql("select coalesce(erase_account(?, ?), '')")
              .params(account, pseudonym)
              .query(String.class)
              .single();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return reason.isEmpty() ? new Outcome.Erased(pseudonym) : new Outcome.Refused(reason);
  }
}
