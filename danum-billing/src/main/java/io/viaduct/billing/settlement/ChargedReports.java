package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.BillColumns;
import io.viaduct.billing.rating.DelaySource;
import io.viaduct.billing.rating.Demand;
import io.viaduct.billing.rating.FlowMeasure;
import io.viaduct.billing.tariff.ServiceClass;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Reads back what charges depend on, so that they can be rated again.
public final class ChargedReports {
  private final JdbcClient jdbc;

  public ChargedReports(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// Returns the whole report of a charge with the bill that counts, or empty if there is no such
  /// charge.
  public Optional<ChargedReport> find(long charge) {
    return find(charge, "current_charge c", "");
  }

  /// Returns the whole report of a charge with an earlier bill or the newest one, or empty if there
  /// is no such charge or revision.
  ///
  /// @param revision number of the bill; 0 for the one that was posted with the report
  public Optional<ChargedReport> find(long charge, int revision) {
    return find(charge, "charge_with_revisions c", " and c.revision = " + revision);
  }

  // Flows of different classes may have different tariffs. The report has that of the asked one.
  private Optional<ChargedReport> find(long charge, String table, String condition) {
    List<ChargedReport.Flow> flows = new ArrayList<>();
    List<ChargedReport> reports =
        jdbc.sql(
                """
                select c.*, i.owner, i.surcharge_version, i.ended_at, k.call_id,
                  coalesce(max(c.revised_tariff_version) filter (where c.id = ?) over (), i.tariff_version) as tariff_version,
                  coalesce(c.revised_tariff_version, i.tariff_version) as flow_tariff_version
                from %s join charging_interval i on i.id = c.interval_id
                left join carried_flow k on (k.interval_id, k.flow) = (c.interval_id, c.flow)
                where c.interval_id = (select interval_id from charge where id = ?)%s order by c.flow
                """
                    .formatted(table, condition))
            .param(charge)
            .param(charge)
            .query((row, _) -> {
              flows.add(flow(row));
              return report(row, flows);
            })
            .list();
    return reports.stream().findFirst();
  }

  /// Reads what all rows of a report have in common.
  ///
  /// @param flows list of its flows, which is complete when the last row has been read
  public static ChargedReport report(ResultSet row, List<ChargedReport.Flow> flows)
      throws SQLException {
    return new ChargedReport(
        row.getString("account"),
        row.getString("owner"),
        row.getInt("tariff_version"),
        row.getObject("surcharge_version", Integer.class),
        row.getTimestamp("started_at").toInstant(),
        Duration.between(
                row.getTimestamp("started_at").toInstant(),
                row.getTimestamp("ended_at").toInstant())
            .toMillis(),
        flows);
  }

  /// Reads the flow of a row of `charge`, with the column `call_id` of `carried_flow`, and the
  /// version of its tariff as `flow_tariff_version`.
  public static ChargedReport.Flow flow(ResultSet row) throws SQLException {
    String end = row.getString("demand_end");
    FlowMeasure measure =
        new FlowMeasure(
            ServiceClass.valueOf(row.getString("service_class")),
            row.getString("application"),
            row.getLong("pre_bytes"),
            row.getLong("post_bytes"),
            row.getDouble("loss"),
            row.getLong("duration_ms"),
            row.getDouble("delay_ms"),
            row.getObject("delay_error_ms", Double.class),
            DelaySource.valueOf(row.getString("delay_source")),
            end == null
                ? Demand.UNKNOWN
                : new Demand(
                    row.getObject("busy", Double.class),
                    row.getObject("spare", Double.class),
                    Demand.End.valueOf(end)),
            row.getObject("call_id", Long.class));
    return new ChargedReport.Flow(
        row.getLong("id"),
        row.getLong("flow"),
        row.getString("link"),
        row.getObject("jitter_ms", Double.class),
        measure,
        BillColumns.read(row),
        row.getInt("flow_tariff_version"));
  }
}
