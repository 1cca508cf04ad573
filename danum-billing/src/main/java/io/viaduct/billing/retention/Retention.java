package io.viaduct.billing.retention;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.configuration.RetentionSettings;
import io.viaduct.billing.database.Migrations;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Makes the partitions of months to come, and drops months and personal data whose time is over
/// (ADR 0059). It works as the role that owns the tables; several instances may run at the same
/// time.
public final class Retention {
  private static final Logger LOG = LoggerFactory.getLogger(Retention.class);

  /// Final intervals that are given to the export in one transaction, if they were in none.
  private static final int EXPORTED_AT_ONCE = 100_000;

  /// Longest time that a report waits in a topic: Kafka's default (`log.retention.hours`).
  private static final Duration IN_TOPIC = Duration.ofDays(7);

  // Those of not_sealable (V112), so that each counter begins with 0.
  private static final List<String> LEDGER_REASONS =
      List.of(
          "no_partitions",
          "not_final",
          "month_0",
          "held",
          "caps",
          "rerating",
          "unpublished",
          "no_receipt",
          "no_export",
          "not_exported");

  private final DataSource owner;
  private final JdbcClient jdbc;
  private final RetentionSettings settings;
  private final Duration adjustmentTime;
  private final InstantSource clock;
  private final MeterRegistry registry;
  private final AtomicLong monthsAhead = new AtomicLong();

  /// @param owner connections of the role that owns the tables
  /// @param adjustmentTime longest time from the end of an interval to its report
  public Retention(
      DataSource owner,
      RetentionSettings settings,
      Duration adjustmentTime,
      InstantSource clock,
      MeterRegistry registry) {
    this.owner = owner;
    this.jdbc = JdbcClient.create(owner);
    this.settings = settings;
    this.adjustmentTime = adjustmentTime;
    this.clock = clock;
    this.registry = registry;
    Gauge.builder("viaduct_months_ahead", monthsAhead, AtomicLong::get)
        .description("Months to come that have partitions")
        .register(registry);
    refusals("personal_data", "month_0");
    LEDGER_REASONS.forEach(reason -> refusals("ledger", reason));
  }

  /// Does what is due now.
  ///
  /// @throws org.springframework.dao.DataAccessException if the database is not available; the next
  ///   run tries again
  public void run() {
    long made = Migrations.makeMonths(owner);
    if (made > 0) {
      LOG.info("partitions of {} months were made", made);
    }
    Instant now = clock.instant();
    monthsAhead.set(
        jdbc.sql("select count(*) from billing_month where number > month_number(?)")
            .param(Timestamp.from(now))
            .query(Long.class)
            .single());
    if (settings.personalDataMonths() > 0) {
      personalData(month(now) - settings.personalDataMonths());
    }
    if (settings.ledgerMonths() > 0) {
      ledger(month(now) - settings.ledgerMonths(), now);
    }
    forgetErasedIds(now);
  }

  private long month(Instant at) {
    return jdbc.sql("select month_number(?)").param(Timestamp.from(at)).query(Long.class).single();
  }

  private void personalData(long until) {
    boolean isDone =
        jdbc.sql("select drop_personal_data(?)").param(until).query(Boolean.class).single();
    if (!isDone) {
      refuse("personal_data", "month_0");
    }
  }

  // No report of these users can come any more.
  private void forgetErasedIds(Instant now) {
    jdbc.sql("delete from erased_id where used_until < ?")
        .param(Timestamp.from(now.minus(adjustmentTime).minus(IN_TOPIC)))
        .update();
  }

  private void ledger(long until, Instant now) {
    long sealed = jdbc.sql("select sealed_month()").query(Long.class).single();
    if (until > sealed && hasRowsBefore(until)) {
      exportMissing(until);
      List<String> reasons =
          jdbc.sql("select reason from not_sealable(?)").param(until).query(String.class).list();
      reasons.forEach(reason -> refuse("ledger", reason));
      if (reasons.isEmpty()) {
        seal(until, now);
      }
    }
    jdbc.sql("select forget_sealed()").query(_ -> {});
  }

  private void exportMissing(long until) {
    long given;
    do {
      given =
          jdbc.sql("select export_missing(?, ?)")
              .param(until)
              .param(EXPORTED_AT_ONCE)
              .query(Long.class)
              .single();
    } while (given == EXPORTED_AT_ONCE && !Thread.currentThread().isInterrupted());
  }

  private boolean hasRowsBefore(long until) {
    return jdbc.sql(
            "select exists (select from ledger_transaction where id < ?::bigint << 41)"
                + " or exists (select from charging_interval where id < ?::bigint << 41)")
        .param(until)
        .param(until)
        .query(Boolean.class)
        .single();
  }

  private void seal(long until, Instant now) {
    boolean isSealed =
        jdbc.sql("select seal_months(?, ? * interval '1 second', ?)")
            .param(until)
            .param(adjustmentTime.toSeconds())
            .param(Timestamp.from(now))
            .query(Boolean.class)
            .single();
    if (isSealed) {
      LOG.warn(
          "the months before {} are dropped: their charges are in the files of charging data records, the sums of their postings are carried forward",
          jdbc.sql("select month_name(?)").param(until).query(String.class).single());
    }
  }

  private Counter refusals(String what, String reason) {
    return Counter.builder("viaduct_retention_refused")
        .description("Months that were not dropped, by what keeps them")
        .tag("what", what)
        .tag("reason", reason)
        .register(registry);
  }

  private void refuse(String what, String reason) {
    refusals(what, reason).increment();
    LOG.warn("retention waits: {} cannot be dropped, because of {}", what, reason);
  }
}
