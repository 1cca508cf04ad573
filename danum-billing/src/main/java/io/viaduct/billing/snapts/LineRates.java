package io.viaduct.billing.snapts;

import java.util.HashMap;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Reads the line rates of SNAPTs, as operators have enrolled them. Removed SNAPTs keep theirs:
/// their last reports are checked as before. Thread-safe.
public final class LineRates {
  /// Rate of a SNAPT without one of its own, bit/s: the fastest port that hosts commonly have. The
  /// bridge has the same.
  public static final long DEFAULT = 10_000_000_000L;

  private static final Logger LOG = LoggerFactory.getLogger(LineRates.class);

  private final JdbcClient jdbc;
  private volatile Map<String, Long> last = Map.of();

  public LineRates(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// Returns the rate by SNAPT id at this moment, bit/s in each direction. If the database is not
  /// available, these are the last ones that were read: then no report is posted either.
  public ToLongFunction<String> now() {
    Map<String, Long> rates = new HashMap<>();
    try {
      jdbc.sql("select id, line_rate from snapt where line_rate is not null")
          .query(row -> {
            rates.put(row.getString(1), row.getLong(2));
          });
      last = Map.copyOf(rates);
    } catch (DataAccessException e) {
      LOG.warn("line rates cannot be read now, database: {}", e.toString());
    }
    Map<String, Long> known = last;
    return snapt -> known.getOrDefault(snapt, DEFAULT);
  }
}
