package io.viaduct.billing.receipts;

import com.google.protobuf.ByteString;
import io.viaduct.billing.ledger.BillColumns;
import io.viaduct.billing.ledger.BillLines;
import io.viaduct.usage.statement.StatementCharge;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.jdbc.core.simple.JdbcClient;

/// The bills of some movements, and the digests of the reports that they bill; read with at most
/// three queries for any number of movements.
final class PostedBills {
  /// A bill of an interval.
  ///
  /// @param revision 0 for the bill that was posted with the report
  record Key(long interval, int revision) {}

  private static final String FLOW =
      "c.interval_id, c.id, c.flow, c.application, c.service_class, c.pre_bytes, ";

  private final Map<Key, List<StatementCharge>> bills = new HashMap<>();
  private final Map<Long, ByteString> reports = new HashMap<>();

  private PostedBills() {}

  static PostedBills of(JdbcClient jdbc, Collection<Movement> movements) {
    PostedBills read = new PostedBills();
    List<Key> keys =
        movements.stream().map(Movement::bill).filter(Objects::nonNull).distinct().toList();
    read.readReports(jdbc, movements);
    read.readBills(jdbc, keys.stream().filter(key -> key.revision() == 0).toList());
    read.readRevisions(jdbc, keys.stream().filter(key -> key.revision() > 0).toList());
    return read;
  }

  /// Returns the charges of the movement's bill by their numbers; none if it is about no bill, or
  /// if the charges are not kept any more.
  List<StatementCharge> charges(Movement movement) {
    Key key = movement.bill();
    return key == null ? List.of() : bills.getOrDefault(key, List.of());
  }

  /// Returns the SHA-256 of the report that the movement bills for the first time, or empty.
  ByteString report(Movement movement) {
    return movement.isReport() && movement.interval() != null
        ? reports.getOrDefault(movement.interval(), ByteString.EMPTY)
        : ByteString.EMPTY;
  }

  private void readReports(JdbcClient jdbc, Collection<Movement> movements) {
    Long[] intervals =
        movements.stream()
            .filter(Movement::isReport)
            .map(Movement::interval)
            .filter(Objects::nonNull)
            .toArray(Long[]::new);
    if (intervals.length > 0) {
      jdbc.sql("select interval_id, digest from snapt_report where interval_id = any(?)")
          .param(intervals)
          .query(row -> {
            reports.put(row.getLong(1), ByteString.copyFrom(row.getBytes(2)));
          });
    }
  }

  private void readBills(JdbcClient jdbc, List<Key> keys) {
    if (!keys.isEmpty()) {
      jdbc.sql(
              "select "
                  + FLOW
                  + "0 as revision, "
                  + BillColumns.NAMES
                  + " from charge c where c.interval_id = any(?) order by c.id")
          .param(keys.stream().map(Key::interval).toArray(Long[]::new))
          .query(this::add);
    }
  }

  private void readRevisions(JdbcClient jdbc, List<Key> keys) {
    if (!keys.isEmpty()) {
      jdbc.sql(
              "select "
                  + FLOW
                  + "v.revision, "
                  + BillColumns.NAMES.replaceAll("(\\w+)", "v.$1")
                  + " from unnest(?::bigint[], ?::integer[]) u(interval_id, revision)"
                  + " join charge c on c.interval_id = u.interval_id"
                  + " join charge_revision v on (v.charge_id, v.revision) = (c.id, u.revision)"
                  + " order by c.id")
          .param(keys.stream().map(Key::interval).toArray(Long[]::new))
          .param(keys.stream().map(Key::revision).toArray(Integer[]::new))
          .query(this::add);
    }
  }

  private void add(ResultSet row) throws SQLException {
    BillLines lines = BillColumns.read(row);
    bills
        .computeIfAbsent(
            new Key(row.getLong("interval_id"), row.getInt("revision")), _ -> new ArrayList<>())
        .add(
            new StatementCharge(
                row.getLong("id"),
                row.getLong("flow"),
                row.getString("application"),
                row.getString("service_class"),
                row.getLong("pre_bytes"),
                lines.charge().value(),
                lines.discount().value(),
                lines.accessFee().value(),
                lines.surcharge().value(),
                lines.refund().value()));
  }
}
