package io.viaduct.billing.tariff;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Stores all versions of the tariff. Stored versions never change, so they are cached. A changed
/// number of rows shows that another process has stored a version.
public final class TariffBook {
  private static final long STORING_LOCK = 0x7461726966L;

  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  // Any thread may replace a stale list. Every list that is written is correct, so no lock is
  // needed.
  private volatile List<TariffVersion> versions = List.of();

  public TariffBook(JdbcClient jdbc, TransactionTemplate transaction) {
    this.jdbc = jdbc;
    this.transaction = transaction;
  }

  /// Stores the first tariff of a new installation, in force from 1970 on. An installation that has
  /// a tariff keeps it.
  public void storeInitial(Tariff initial, Instant now) {
    transaction.executeWithoutResult(_ -> {
      lock();
      if (versions().isEmpty()) {
        insert(1, initial, Instant.EPOCH, "installation", now);
      }
    });
  }

  /// Stores a new version.
  ///
  /// @param effectiveFrom not before `now`, so that no rated flow changes its price
  /// @throws TariffRefusedException if it is before `now`
  public TariffVersion add(Tariff tariff, Instant effectiveFrom, String createdBy, Instant now) {
    return add(tariff, effectiveFrom, createdBy, now, null).orElseThrow();
  }

  /// Stores a new version if its author knew the latest one.
  ///
  /// @param latest the latest version that its author knew; null if any will do
  /// @return empty if a later version was stored meanwhile
  /// @throws TariffRefusedException if `effectiveFrom` is before `now`
  public Optional<TariffVersion> add(
      Tariff tariff, Instant effectiveFrom, String createdBy, Instant now, @Nullable Long latest) {
    requireNotPast(effectiveFrom, now);
    return transaction.execute(_ -> {
      lock();
      int stored = versions().size();
      if (latest != null && latest != stored) {
        return Optional.empty();
      }
      insert(stored + 1, tariff, effectiveFrom, createdBy, now);
      return Optional.of(new TariffVersion(stored + 1, effectiveFrom, tariff, createdBy));
    });
  }

  /// Returns all versions, oldest first.
  public List<TariffVersion> versions() {
    int stored = jdbc.sql("select count(*) from tariff").query(Integer.class).single();
    List<TariffVersion> known = versions;
    if (stored != known.size()) {
      known =
          jdbc.sql(
                  "select version, effective_from, document, created_by from tariff order by version")
              .query((row, _) ->
                  new TariffVersion(
                      row.getInt(1),
                      row.getTimestamp(2).toInstant(),
                      TariffDocument.parse(row.getString(3)),
                      row.getString(4)))
              .list();
      versions = known;
    }
    return known;
  }

  /// Returns the version in force at a time: the one with the latest `effectiveFrom` that is not
  /// after it. Of two versions with the same `effectiveFrom`, the later stored one counts.
  public static TariffVersion inForce(List<TariffVersion> versions, Instant at) {
    return versions.stream()
        .filter(v -> !v.effectiveFrom().isAfter(at))
        .max(
            Comparator.comparing(TariffVersion::effectiveFrom)
                .thenComparing(TariffVersion::version))
        .orElseThrow(() -> new IllegalStateException("no tariff in force at " + at));
  }

  static void requireNotPast(Instant effectiveFrom, Instant now) {
    if (effectiveFrom.isBefore(now)) {
      throw new TariffRefusedException(
          TariffRule.EFFECTIVE_FROM_PAST,
          "effectiveFrom must not be before now (" + now + "), got " + effectiveFrom);
    }
  }

  private void lock() {
    jdbc.sql("select pg_advisory_xact_lock(?)").param(STORING_LOCK).query(row -> {});
  }

  private void insert(
      int version, Tariff tariff, Instant effectiveFrom, String createdBy, Instant now) {
    jdbc.sql(
            "insert into tariff (version, effective_from, document, created_by, created_at)"
                + " values (:version, :effectiveFrom, :document::json, :createdBy, :createdAt)")
        .param("version", version)
        .param("effectiveFrom", Timestamp.from(effectiveFrom))
        .param("document", TariffDocument.print(tariff))
        .param("createdBy", createdBy)
        .param("createdAt", Timestamp.from(now))
        .update();
  }
}
