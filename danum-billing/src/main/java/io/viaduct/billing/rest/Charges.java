package io.viaduct.billing.rest;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.JdbcTemplate;

/// Reads charges with the interval that they belong to.
final class Charges {
  private static final String SELECT =
      "select c.*, i.snapt_id, i.session_id, i.epoch, i.sequence, i.started_at, i.ended_at, i.state,"
          + " i.tariff_version from charge c join charging_interval i on i.id = c.interval_id ";

  private final JdbcTemplate jdbc;

  Charges(JdbcTemplate jdbc) {
    this.jdbc = jdbc;
  }

  Optional<Charge> find(long id) {
    return jdbc.query(SELECT + "where c.id = ?", (row, _) -> Charge.of(row), id).stream()
        .findFirst();
  }

  List<Charge> find(Collection<Long> ids) {
    return jdbc.query(
        SELECT + "where c.id = any(?) order by c.id",
        (row, _) -> Charge.of(row),
        (Object) ids.toArray(Long[]::new));
  }

  /// Charges of an account, latest first.
  ///
  /// @param snapt only of this one, or empty
  /// @param application only of this one, or empty
  List<Charge> page(String account, long before, int limit, String snapt, String application) {
    return jdbc.query(
        SELECT
            + "where c.account = ? and c.id < ? and (? = '' or i.snapt_id = ?)"
            + " and (? = '' or c.application = ?) order by c.id desc limit ?",
        (row, _) -> Charge.of(row),
        account,
        before,
        snapt,
        snapt,
        application,
        application,
        limit);
  }
}
