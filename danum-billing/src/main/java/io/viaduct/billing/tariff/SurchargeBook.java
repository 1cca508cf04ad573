package io.viaduct.billing.tariff;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Stores all versions of the surcharges of the SNAPTs' owners. Stored versions never change, so
/// they are cached as those of [TariffBook].
public final class SurchargeBook {
  private static final int STORING_LOCK = 0x73757263;

  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  // Any thread may replace a stale list. Every list that is written is correct.
  private volatile List<SurchargeVersion> versions = List.of();

  public SurchargeBook(JdbcClient jdbc, TransactionTemplate transaction) {
    this.jdbc = jdbc;
    this.transaction = transaction;
  }

  /// Stores a new version, whatever the latest one is.
  ///
  /// @param effectiveFrom not before `now`, so that no rated flow changes its price
  /// @throws TariffRefusedException if it is before `now`
  public SurchargeVersion add(
      String owner, Surcharge surcharge, Instant effectiveFrom, String createdBy, Instant now) {
    return add(owner, surcharge, effectiveFrom, createdBy, now, null).orElseThrow();
  }

  /// Stores a new version if its author knew the latest one.
  ///
  /// @param effectiveFrom not before `now`, so that no rated flow changes its price
  /// @param latest the owner's latest version that its author knew, 0 for none; null if any will do
  /// @return empty if a later version was stored meanwhile
  /// @throws TariffRefusedException if it is before `now`
  public Optional<SurchargeVersion> add(
      String owner,
      Surcharge surcharge,
      Instant effectiveFrom,
      String createdBy,
      Instant now,
      @Nullable Long latest) {
    TariffBook.requireNotPast(effectiveFrom, now);
    return transaction.execute(_ -> {
      jdbc.sql("select pg_advisory_xact_lock(?, hashtext(?))")
          .param(STORING_LOCK)
          .param(owner)
          .query(row -> {});
      int stored = of(owner).size();
      if (latest != null && latest != stored) {
        return Optional.empty();
      }
      int version = stored + 1;
      jdbc.sql(
              "insert into surcharge (owner, version, effective_from, document, created_by, created_at)"
                  + " values (:owner, :version, :effectiveFrom, :document::json, :createdBy, :createdAt)")
          .param("owner", owner)
          .param("version", version)
          .param("effectiveFrom", Timestamp.from(effectiveFrom))
          .param("document", TariffDocument.print(surcharge))
          .param("createdBy", createdBy)
          .param("createdAt", Timestamp.from(now))
          .update();
      return Optional.of(new SurchargeVersion(owner, version, effectiveFrom, surcharge, createdBy));
    });
  }

  /// Returns all versions of one owner, oldest first.
  public List<SurchargeVersion> of(String owner) {
    return of(List.of(owner)).getOrDefault(owner, List.of());
  }

  /// Returns all versions of some owners, oldest first.
  public Map<String, List<SurchargeVersion>> of(Collection<String> owners) {
    Set<String> wanted = Set.copyOf(owners);
    return versions().stream()
        .filter(version -> wanted.contains(version.owner()))
        .collect(Collectors.groupingBy(SurchargeVersion::owner));
  }

  private List<SurchargeVersion> versions() {
    int stored = jdbc.sql("select count(*) from surcharge").query(Integer.class).single();
    List<SurchargeVersion> known = versions;
    if (stored != known.size()) {
      known =
          jdbc.sql(
                  "select owner, version, effective_from, document, created_by from surcharge"
                      + " order by owner, version")
              .query((row, _) ->
                  new SurchargeVersion(
                      row.getString(1),
                      row.getInt(2),
                      row.getTimestamp(3).toInstant(),
                      TariffDocument.parseSurcharge(row.getString(4)),
                      row.getString(5)))
              .list();
      versions = known;
    }
    return known;
  }

  /// The versions of an owner that count at a time and after it.
  ///
  /// @param inForce null if there is none
  /// @param later versions that begin later, in that order
  public record Schedule(@Nullable SurchargeVersion inForce, List<SurchargeVersion> later) {
    /// Returns all of them, the earliest first.
    public List<SurchargeVersion> all() {
      return Stream.concat(Stream.ofNullable(inForce), later.stream()).toList();
    }
  }

  /// Returns what counts of an owner's versions at a time and after it.
  public static Schedule schedule(List<SurchargeVersion> versions, Instant at) {
    return new Schedule(
        inForce(versions, at),
        versions.stream()
            .filter(each -> each.effectiveFrom().isAfter(at))
            .sorted(Comparator.comparing(SurchargeVersion::effectiveFrom))
            .toList());
  }

  /// Returns the version in force at a time, as [TariffBook#inForce]; null if there is none.
  public static @Nullable SurchargeVersion inForce(List<SurchargeVersion> versions, Instant at) {
    Optional<SurchargeVersion> latest =
        versions.stream()
            .filter(v -> !v.effectiveFrom().isAfter(at))
            .max(
                Comparator.comparing(SurchargeVersion::effectiveFrom)
                    .thenComparing(SurchargeVersion::version));
    return latest.orElse(null);
  }
}
