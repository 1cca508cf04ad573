package io.viaduct.billing.rest;

import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Sums the charges of an account, and those of its calls that other nodes have counted. A charge
/// belongs to the day and hour in which its interval began, in the zone that the caller asks for;
/// that of a call to the time of the node's request. PostgreSQL computes the sums as `numeric`, so
/// they are exact and do not overflow.
final class Usage {
  /// Most rows of one answer. A year by day and class has about 1500.
  static final int ROWS_MAX = 10_000;

  private static final List<String> SUMMED =
      List.of(
          "c.pre_bytes",
          "c.post_bytes",
          "c.saved_bytes",
          "c.duration_ms",
          "c.charge_microdenarii",
          "c.discount_microdenarii",
          "c.access_fee_microdenarii",
          "c.surcharge_microdenarii",
          "c.refund_microdenarii",
          // As the function net(charge), whose whole row no index could provide.
          "c.charge_microdenarii - c.discount_microdenarii + c.access_fee_microdenarii"
              + " + c.surcharge_microdenarii - c.refund_microdenarii");

  // As charges of flows: the seconds that each request tells, as an access fee. They have neither
  // bytes, nor device, nor link. Their class is that of voice.
  private static final String CALLS =
      """
      (select s.account, r.received_at started_at, 'LT_LD'::text service_class, 'call'::text application,
        null::text device, null::text link, 0 pre_bytes, 0 post_bytes, 0 saved_bytes, 1000 * r.seconds duration_ms,
        0 charge_microdenarii, 0 discount_microdenarii, r.amount_microdenarii access_fee_microdenarii,
        0 surcharge_microdenarii, 0 refund_microdenarii
      from call_session s join call_request r on r.call_id = s.id where r.amount_microdenarii > 0) c
      """;

  /// The fields that sums can be grouped by, in the order of the columns.
  enum Grouping {
    DAY("to_char(c.started_at at time zone :zone, 'YYYY-MM-DD')"),
    HOUR(
        "to_char(date_trunc('hour', c.started_at, :zone) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"),
    CLASS("c.service_class collate \"C\""),
    APPLICATION("c.application collate \"C\""),
    DEVICE("c.device collate \"C\"");

    private final String expression;

    Grouping(String expression) {
      this.expression = expression;
    }

    boolean isTime() {
      return this == DAY || this == HOUR;
    }

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /// Reads a comma-separated list of words. An empty list means no grouping: one row.
    static Set<Grouping> of(String words) {
      Set<Grouping> chosen = EnumSet.noneOf(Grouping.class);
      if (words.isEmpty()) {
        return chosen;
      }
      for (String word : words.split(",", -1)) {
        Optional<Grouping> grouping =
            Arrays.stream(values()).filter(b -> b.word().equals(word)).findFirst();
        if (grouping.isEmpty() || !chosen.add(grouping.get())) {
          throw ProblemException.invalid(
              "by must be words out of day, hour, class, application, device, each once, with commas"
                  + " between them, got '%s'"
                      .formatted(words.length() > 64 ? words.substring(0, 64) : words));
        }
      }
      return chosen;
    }
  }

  /// Sums over a group of charges. A field that is not grouped by is null.
  record Sums(
      @Nullable String day,
      @Nullable Instant hour,
      @Nullable String serviceClass,
      @Nullable String application,
      @Nullable String device,
      String charges,
      String preBytes,
      String postBytes,
      String savedBytes,
      String durationMs,
      String chargeMicrodenarii,
      String discountMicrodenarii,
      String accessFeeMicrodenarii,
      String surchargeMicrodenarii,
      String promiseRefundMicrodenarii,
      String netMicrodenarii) {}

  private final JdbcClient jdbc;

  Usage(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// Sums the charges whose interval began in a time range. Rows are sorted by day and hour (latest
  /// first), then class, application, device. Without grouping there is one row.
  ///
  /// @param filter account, time, class, application, device and link; no other criterion may be
  ///   given
  /// @param zone whose days and hours are meant
  List<Sums> sums(ChargeFilter filter, ZoneId zone, Set<Grouping> by) {
    TimeRange start = filter.start();
    JdbcClient.StatementSpec query =
        jdbc.sql(sql(filter, by))
            .param("account", filter.account())
            .param("zone", zone.getId())
            .param("application", filter.application())
            .param("device", filter.device())
            .param("link", filter.link())
            .param("class", filter.serviceClass() == null ? "" : filter.serviceClass().name());
    if (start.from() != null) {
      query = query.param("from", Timestamp.from(start.from()));
    }
    if (start.to() != null) {
      query = query.param("to", Timestamp.from(start.to()));
    }
    List<Sums> rows = query.query((row, _) -> sums(row)).list();
    if (rows.size() > ROWS_MAX) {
      throw ProblemException.invalid(
          "this has more than %d rows: ask for a shorter time or for less in 'by'"
              .formatted(ROWS_MAX));
    }
    return rows;
  }

  /// Adds up all rows of one answer.
  static Sums total(List<Sums> rows) {
    return new Sums(
        null,
        null,
        null,
        null,
        null,
        sum(rows, Sums::charges),
        sum(rows, Sums::preBytes),
        sum(rows, Sums::postBytes),
        sum(rows, Sums::savedBytes),
        sum(rows, Sums::durationMs),
        sum(rows, Sums::chargeMicrodenarii),
        sum(rows, Sums::discountMicrodenarii),
        sum(rows, Sums::accessFeeMicrodenarii),
        sum(rows, Sums::surchargeMicrodenarii),
        sum(rows, Sums::promiseRefundMicrodenarii),
        sum(rows, Sums::netMicrodenarii));
  }

  private static String sum(List<Sums> rows, Function<Sums, String> part) {
    return rows.stream()
        .map(part)
        .map(BigInteger::new)
        .reduce(BigInteger.ZERO, BigInteger::add)
        .toString();
  }

  // Void intervals are few: to leave them out is cheaper than to join each charge with its
  // interval.
  private static String sql(ChargeFilter filter, Set<Grouping> by) {
    TimeRange start = filter.start();
    String columns =
        Arrays.stream(Grouping.values())
            .map(each -> by.contains(each) ? each.expression : "null::text")
            .collect(Collectors.joining(", "));
    String sums =
        SUMMED.stream()
            .map(column -> "coalesce(sum(" + column + "), 0)")
            .collect(Collectors.joining(", "));
    String bounds =
        (start.from() == null ? "" : " and c.started_at >= :from")
            + (start.to() == null ? "" : " and c.started_at < :to")
            + (filter.serviceClass() == null ? "" : " and c.service_class = :class")
            + (filter.application().isEmpty() ? "" : " and c.application = :application")
            + (filter.device().isEmpty() ? "" : " and c.device = :device")
            + (filter.link().isEmpty() ? "" : " and c.link = :link");
    // By the place of the column: the same expression with another parameter would be another one.
    String groups =
        by.stream()
            .map(each -> Integer.toString(each.ordinal() + 1))
            .collect(Collectors.joining(", "));
    String order =
        by.stream()
            .map(each -> (each.ordinal() + 1) + (each.isTime() ? " desc" : ""))
            .collect(Collectors.joining(", "));
    String grouped = bounds + (by.isEmpty() ? "" : " group by " + groups);
    String charges =
        "select "
            + columns
            + ", count(*), "
            + sums
            + " from current_charge c where c.account = :account and not exists (select from"
            + " charging_interval i where i.id = c.interval_id and i.state = 'VOID')"
            + grouped;
    String calls =
        "select "
            + columns
            + ", count(*), "
            + sums
            + " from "
            + CALLS
            + " where c.account = :account"
            + grouped;
    int parts = Grouping.values().length;
    String names =
        IntStream.rangeClosed(1, parts + 1 + SUMMED.size())
            .mapToObj(i -> "v" + i)
            .collect(Collectors.joining(", "));
    String added =
        IntStream.rangeClosed(1, parts + 1 + SUMMED.size())
            .mapToObj(i -> i <= parts ? "v" + i : "sum(v" + i + ")")
            .collect(Collectors.joining(", "));
    return "select "
        + added
        + " from (("
        + charges
        + ") union all ("
        + calls
        + ")) u("
        + names
        + ")"
        + " group by 1, 2, 3, 4, 5"
        + (by.isEmpty() ? "" : " order by " + order)
        + " limit "
        + (ROWS_MAX + 1);
  }

  private static Sums sums(ResultSet row) throws SQLException {
    String hour = row.getString(2);
    return new Sums(
        row.getString(1),
        hour == null ? null : Instant.parse(hour),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getString(6),
        row.getString(7),
        row.getString(8),
        row.getString(9),
        row.getString(10),
        row.getString(11),
        row.getString(12),
        row.getString(13),
        row.getString(14),
        row.getString(15),
        row.getString(16));
  }
}
