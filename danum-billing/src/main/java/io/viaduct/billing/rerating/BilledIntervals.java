package io.viaduct.billing.rerating;

import io.viaduct.billing.settlement.ChargedReports;
import io.viaduct.billing.settlement.IntervalKey;
import io.viaduct.billing.settlement.IntervalState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Reads intervals with the bills that count.
final class BilledIntervals {
  private final JdbcClient jdbc;

  BilledIntervals(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// Returns those of the intervals that have flows and are not void, in the order of their ids.
  List<RevisedInterval.Billed> read(List<Long> ids) {
    Map<Long, RevisedInterval.Billed> intervals = new LinkedHashMap<>();
    jdbc.sql(
            """
            select c.*, k.call_id, i.owner, i.surcharge_version, i.ended_at, i.state, i.snapt_id, i.session_id, i.epoch, i.sequence,
              i.received_at >= i.grace_ends_at as late, i.tariff_version as tariff_at_start,
              i.tariff_version, coalesce(c.revised_tariff_version, i.tariff_version) as flow_tariff_version
            from current_charge c join charging_interval i on i.id = c.interval_id
            left join carried_flow k on (k.interval_id, k.flow) = (c.interval_id, c.flow)
            where c.interval_id = any(?) and i.state <> 'VOID' order by c.interval_id, c.flow
            """)
        .param(ids.toArray(Long[]::new))
        .query(row -> {
          long id = row.getLong("interval_id");
          RevisedInterval.Billed interval = intervals.get(id);
          if (interval == null) {
            interval =
                new RevisedInterval.Billed(
                    id,
                    new IntervalKey(
                            row.getString("snapt_id"),
                            row.getString("session_id"),
                            row.getLong("epoch"),
                            row.getLong("sequence"))
                        .text(),
                    IntervalState.valueOf(row.getString("state")),
                    row.getInt("revision"),
                    row.getBoolean("late"),
                    row.getInt("tariff_at_start"),
                    ChargedReports.report(row, new ArrayList<>()));
            intervals.put(id, interval);
          }
          interval.report().flows().add(ChargedReports.flow(row));
        });
    return List.copyOf(intervals.values());
  }
}
