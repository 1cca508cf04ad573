package io.viaduct.billing.tariff;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Keeps the tariffs that operators work on (ADR 0045). A draft may break every rule of a tariff:
/// it is what somebody has written so far. It belongs to one operator, and nothing is ever priced
/// by it.
public final class TariffDrafts {
  /// Most drafts of one operator.
  public static final int DRAFTS_MAX = 50;

  private static final String SELECT =
      "select id, owner, name, document, based_on, version, changed_at from tariff_draft ";

  private final TransactionTemplate transaction;
  private final JdbcClient jdbc;

  public TariffDrafts(TransactionTemplate transaction, JdbcClient jdbc) {
    this.transaction = transaction;
    this.jdbc = jdbc;
  }

  /// A draft.
  ///
  /// @param owner account of the operator
  /// @param document JSON text, which need not be a valid tariff
  /// @param basedOn version of the tariff that it began as; null if it began as none
  /// @param version 1, 2, 3 ... with each change of the draft
  public record Draft(
      long id,
      String owner,
      String name,
      String document,
      @Nullable Integer basedOn,
      long version,
      Instant changedAt) {}

  /// Returns the drafts of an operator, the latest change first.
  public List<Draft> of(String owner) {
    return jdbc.sql(SELECT + "where owner = ? order by changed_at desc, id desc")
        .param(owner)
        .query((row, _) -> draft(row))
        .list();
  }

  public Optional<Draft> find(String owner, long id) {
    return jdbc.sql(SELECT + "where owner = ? and id = ?")
        .param(owner)
        .param(id)
        .query((row, _) -> draft(row))
        .optional();
  }

  /// Makes a draft.
  ///
  /// @return empty if the operator has [#DRAFTS_MAX] already
  public Optional<Draft> add(
      String owner, String name, String document, @Nullable Integer basedOn, Instant now) {
    return transaction.execute(_ -> {
      jdbc.sql("select from account where id = ? for update").param(owner).query(_ -> {});
      int drafts =
          jdbc.sql("select count(*) from tariff_draft where owner = ?")
              .param(owner)
              .query(Integer.class)
              .single();
      if (drafts >= DRAFTS_MAX) {
        return Optional.<Draft>empty();
      }
      long id =
          jdbc.sql(
                  "insert into tariff_draft (owner, name, document, based_on, changed_at)"
                      + " values (?, ?, ?::json, ?, ?) returning id")
              .param(owner)
              .param(name)
              .param(document)
              .param(basedOn)
              .param(Timestamp.from(now))
              .query(Long.class)
              .single();
      return find(owner, id);
    });
  }

  /// Replaces a draft.
  ///
  /// @param version version that the author has seen
  /// @return false if there is no such draft, or it was changed since; then nothing is replaced
  public boolean save(
      String owner, long id, long version, String name, String document, Instant now) {
    return jdbc.sql(
                "update tariff_draft set name = ?, document = ?::json, version = version + 1, changed_at = ?"
                    + " where owner = ? and id = ? and version = ?")
            .param(name)
            .param(document)
            .param(Timestamp.from(now))
            .param(owner)
            .param(id)
            .param(version)
            .update()
        == 1;
  }

  /// Deletes a draft.
  ///
  /// @return false if there is no such draft
  public boolean delete(String owner, long id) {
    return jdbc.sql("delete from tariff_draft where owner = ? and id = ?")
            .param(owner)
            .param(id)
            .update()
        == 1;
  }

  private static Draft draft(ResultSet row) throws SQLException {
    return new Draft(
        row.getLong(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        row.getObject(5, Integer.class),
        row.getLong(6),
        row.getTimestamp(7).toInstant());
  }
}
