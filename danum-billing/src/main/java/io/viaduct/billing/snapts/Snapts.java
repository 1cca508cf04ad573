package io.viaduct.billing.snapts;

import io.viaduct.billing.audit.AuditLog;
import io.viaduct.billing.configuration.SnaptFacts;
import io.viaduct.billing.snapts.SnaptRefusedException.Reason;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Stores the enrolled SNAPTs and their owners. Each commit tells the billing instances, which tell
/// the bridges.
public final class Snapts {
  private static final String SELECT =
      "select s.id, s.report_key, s.region, s.line_rate, s.version, s.enrolled_at,"
          + " s.certificate_key, (select o.owner from snapt_owner o where o.snapt_id = s.id order by o.number desc limit 1)"
          + " from snapt s where s.removed_at is null ";

  private static final int ID_LOCK = 0x736e6170;

  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  private final AuditLog audit;
  // Rows of owners never change, so a changed number of them shows that another one was set.
  private volatile @Nullable Ownership ownership;

  public Snapts(JdbcClient jdbc, TransactionTemplate transaction) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.audit = new AuditLog(jdbc);
  }

  /// The row of a SNAPT, enrolled or removed.
  private record Row(long version, boolean isEnrolled, String owner) {}

  /// Returns an enrolled SNAPT; empty if there is none.
  public Optional<Snapt> find(String id) {
    return jdbc.sql(SELECT + "and s.id = ?").param(id).query((row, _) -> read(row)).optional();
  }

  /// Returns the present owner of an enrolled SNAPT; empty if it is not enrolled.
  public Optional<String> owner(String id) {
    return owner(jdbc, id);
  }

  /// Returns the present owner of an enrolled SNAPT, as [#owner(String)].
  public static Optional<String> owner(JdbcClient jdbc, String id) {
    return jdbc.sql(
            "select o.owner from snapt_owner o join snapt s on s.id = o.snapt_id"
                + " where s.id = ? and s.removed_at is null order by o.number desc limit 1")
        .param(id)
        .query(String.class)
        .optional();
  }

  /// Returns enrolled SNAPTs, sorted by id.
  ///
  /// @param owner only SNAPTs that this owner has now; null for all
  /// @param after last id of the previous page, or empty
  public List<Snapt> page(@Nullable String owner, String after, int limit) {
    return jdbc.sql(
            SELECT
                + """
                and s.id > :after collate "C" and (:owner::text is null or :owner =
                  (select o.owner from snapt_owner o where o.snapt_id = s.id order by o.number desc limit 1))
                order by s.id collate "C" limit :limit
                """)
        .param("owner", owner)
        .param("after", after)
        .param("limit", limit)
        .query((row, _) -> read(row))
        .list();
  }

  /// Enrols a SNAPT, or changes an enrolled one.
  ///
  /// @param known version that the caller has read; null to enrol
  /// @param by account of the operator
  /// @throws SnaptRefusedException if it is enrolled in another version, or not enrolled although a
  ///   version is given
  public Snapt put(SnaptFacts wanted, @Nullable Long known, String by, Instant now) {
    return Objects.requireNonNull(
        transaction.execute(_ -> {
          Optional<Row> before = lock(wanted.id());
          if (before.isEmpty() || !before.get().isEnrolled()) {
            requireEnrolled(known == null, wanted.id());
            enrol(wanted, before.isPresent(), now);
            own(wanted, now, by);
          } else {
            requireVersion(wanted.id(), known, before.get());
            update(wanted);
            if (!before.get().owner().equals(wanted.owner())) {
              own(wanted, now, by);
            }
          }
          return find(wanted.id()).orElseThrow();
        }));
  }

  /// Lets an enrolled SNAPT show only certificates with one key from now on. Its former
  /// certificates are void.
  ///
  /// @param key SHA-256 of the SubjectPublicKeyInfo
  void pin(String id, byte[] key) {
    jdbc.sql("update snapt set certificate_key = ?, version = version + 1 where id = ?")
        .param(key)
        .param(id)
        .update();
  }

  /// Refuses the key of a next certificate unless it is that of the present one, if that is pinned:
  /// the SNAPT could not fetch it.
  ///
  /// @param key SHA-256 of the SubjectPublicKeyInfo
  void requireKey(String id, byte[] key) {
    String wanted = Base64.getEncoder().encodeToString(key);
    if (find(id)
        .flatMap(Snapt::certificateKey)
        .filter(known -> !known.equals(wanted))
        .isPresent()) {
      throw new SnaptRefusedException(
          Reason.OTHER_KEY,
          "the next certificate of SNAPT '%s' must have the key of the present one: for other keys, invite it again"
              .formatted(id));
    }
  }

  /// Removes a SNAPT.
  ///
  /// @param known version that the caller has read; null if the caller does not care
  /// @throws SnaptRefusedException if it is not enrolled, or has another version
  public void remove(String id, @Nullable Long known, Instant now) {
    transaction.executeWithoutResult(_ -> {
      Optional<Row> before = lock(id);
      requireEnrolled(before.isPresent() && before.get().isEnrolled(), id);
      if (known != null) {
        requireVersion(id, known, before.orElseThrow());
      }
      jdbc.sql("update snapt set removed_at = ?, version = version + 1 where id = ?")
          .param(Timestamp.from(now))
          .param(id)
          .update();
    });
  }

  /// Enrols a SNAPT of a configuration, unless it is or was enrolled. Its owner counts for all of
  /// its past: the configuration named it before.
  ///
  /// @return whether it is new
  public boolean enrolMissing(SnaptFacts configured, String by, Instant now) {
    return Objects.requireNonNull(
        transaction.execute(_ -> {
          if (lock(configured.id()).isPresent()) {
            return false;
          }
          audit.configured("enrolSnapt", "snapts/" + configured.id(), now);
          enrol(configured, false, now);
          own(configured, Instant.EPOCH, by);
          return true;
        }));
  }

  /// Returns who owns which SNAPT, and who did.
  ///
  /// @param otherwise owner of SNAPTs that were never enrolled
  public Ownership ownership(UnaryOperator<String> otherwise) {
    int stored = jdbc.sql("select count(*) from snapt_owner").query(Integer.class).single();
    Ownership known = ownership;
    if (known == null || stored != known.changes()) {
      known = Ownership.read(jdbc, otherwise);
      ownership = known;
    }
    return known.otherwise(otherwise);
  }

  // The advisory lock covers ids without a row.
  private Optional<Row> lock(String id) {
    jdbc.sql("select pg_advisory_xact_lock(?, hashtext(?))")
        .param(ID_LOCK)
        .param(id)
        .query(row -> {});
    return jdbc.sql(
            "select s.version, s.removed_at is null, (select o.owner from snapt_owner o"
                + " where o.snapt_id = s.id order by o.number desc limit 1) from snapt s where s.id = ?")
        .param(id)
        .query((row, _) -> new Row(row.getLong(1), row.getBoolean(2), row.getString(3)))
        .optional();
  }

  private void enrol(SnaptFacts wanted, boolean again, Instant now) {
    String sql =
        again
            ? "update snapt set report_key = :key, region = :region, line_rate = :rate,"
                + " certificate_key = null, enrolled_at = :now, removed_at = null,"
                + " version = version + 1 where id = :id"
            : "insert into snapt (id, report_key, region, line_rate, enrolled_at)"
                + " values (:id, :key, :region, :rate, :now)";
    bind(jdbc.sql(sql), wanted).param("now", Timestamp.from(now)).update();
  }

  private void update(SnaptFacts wanted) {
    bind(
            jdbc.sql(
                "update snapt set report_key = :key, region = :region, line_rate = :rate,"
                    + " version = version + 1 where id = :id"),
            wanted)
        .update();
  }

  private static JdbcClient.StatementSpec bind(
      JdbcClient.StatementSpec statement, SnaptFacts wanted) {
    return statement
        .param("id", wanted.id())
        .param("key", wanted.keyBytes())
        .param("region", wanted.region())
        .param("rate", wanted.lineRate().orElse(null), Types.BIGINT);
  }

  private void own(SnaptFacts wanted, Instant since, String by) {
    jdbc.sql("insert into snapt_owner (snapt_id, since, owner, set_by) values (?, ?, ?, ?)")
        .param(wanted.id())
        .param(Timestamp.from(since))
        .param(wanted.owner())
        .param(by)
        .update();
  }

  private static void requireEnrolled(boolean holds, String id) {
    if (!holds) {
      throw new SnaptRefusedException(
          Reason.UNKNOWN, "no SNAPT '" + id + "' is enrolled: enrol it without If-Match");
    }
  }

  private static void requireVersion(String id, @Nullable Long known, Row now) {
    if (known == null) {
      throw new SnaptRefusedException(
          Reason.VERSION_REQUIRED,
          "SNAPT '%s' is enrolled: send the header If-Match with the ETag that you have read last"
              .formatted(id));
    }
    if (known != now.version()) {
      throw new SnaptRefusedException(
          Reason.CHANGED,
          "SNAPT '%s' has version %d now, you know %d: read it again"
              .formatted(id, now.version(), known));
    }
  }

  private static Snapt read(ResultSet row) throws SQLException {
    long rate = row.getLong(4);
    return new Snapt(
        new SnaptFacts(
            row.getString(1),
            Base64.getEncoder().encodeToString(row.getBytes(2)),
            row.getString(8),
            row.getString(3),
            rate == 0 ? Optional.empty() : Optional.of(rate)),
        Optional.ofNullable(row.getBytes(7)).map(Base64.getEncoder()::encodeToString),
        row.getLong(5),
        row.getTimestamp(6).toInstant());
  }
}
