package io.viaduct.billing.settlement;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Finds missing sequence numbers: reports that a SNAPT must have made and that have not arrived. A
/// gap is shown until it is filled, or until the grace time of the report after it is over.
public final class SequenceGaps {
  /// Largest plausible jump of the sequence number: two years of minutes. A larger jump is an
  /// error, not a gap.
  public static final long JUMP_MAX = 1_000_000;

  /// A run of missing sequence numbers.
  ///
  /// @param snapt id of the SNAPT whose reports are missing
  /// @param session id of the session
  /// @param epoch start counter of the SNAPT
  /// @param from first missing sequence number
  /// @param to last missing sequence number
  /// @param account account that the session bills
  /// @param seenAt time when the report after the gap came
  public record Gap(
      String snapt,
      String session,
      long epoch,
      long from,
      long to,
      String account,
      Instant seenAt) {}

  private final JdbcClient jdbc;

  public SequenceGaps(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// A gap, and the interval after it.
  public record Seen(long interval, Gap gap) {}

  /// Returns the gaps that are visible now, latest first.
  ///
  /// @param before when the last gap of the previous page was seen; [Instant#MAX] for the first
  ///   page
  /// @param interval the interval after that gap
  public List<Seen> visible(Instant now, Instant before, long interval, int limit) {
    return jdbc.sql(
            """
            select i.snapt_id, i.session_id, i.epoch, coalesce(before.sequence, -1) + 1, i.sequence - 1, i.account, i.received_at, i.id
            from charging_interval i
            left join lateral (select max(b.sequence) as sequence from interval_key b
              where (b.snapt_id, b.session_id, b.epoch) = (i.snapt_id, i.session_id, i.epoch) and b.sequence < i.sequence) before on true
            where i.grace_ends_at > :now and i.session_id not like 'device:%' and (:first or (i.received_at, i.id) < (:before, :interval)) and i.sequence > coalesce(before.sequence, -1) + 1
            order by i.received_at desc, i.id desc limit :limit
            """)
        .param("now", Timestamp.from(now))
        .param("first", before.equals(Instant.MAX))
        .param("before", Timestamp.from(before.equals(Instant.MAX) ? now : before))
        .param("interval", interval)
        .param("limit", limit)
        .query((row, _) ->
            new Seen(
                row.getLong(8),
                new Gap(
                    row.getString(1),
                    row.getString(2),
                    row.getLong(3),
                    row.getLong(4),
                    row.getLong(5),
                    row.getString(6),
                    row.getTimestamp(7).toInstant())))
        .list();
  }
}
