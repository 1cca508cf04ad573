package io.viaduct.billing.settlement;

import io.viaduct.billing.rating.FlowMeasure;
import io.viaduct.billing.rating.RatedReport;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Surcharge;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.SurchargeVersion;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffVersion;
import io.viaduct.billing.tariff.Terms;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Rates the posted reports of a time that is over under another tariff, by the code that rates
/// reports (ADR 0045). Nothing is stored. The time is cut into slices, so that a bound that is
/// reached leaves a result for the slices before.
public final class TariffTrial {
  /// Bounds of one trial. A bound that is reached ends it early.
  ///
  /// @param charges most charges that are rated
  /// @param duration longest time that it takes
  public record Bounds(int charges, Duration duration) {}

  /// The bounds of a trial that somebody waits for.
  public static final Bounds BOUNDS = new Bounds(200_000, Duration.ofSeconds(10));

  private static final Bounds NO_BOUNDS = new Bounds(Integer.MAX_VALUE - 1, Duration.ofDays(365));

  /// Longest time that can be tried.
  public static final Duration SPAN_MAX = Duration.ofDays(31);

  /// Slices of time are read one after the other. They grow while they have few charges, so that a
  /// quiet month takes few queries, and a busy one little memory.
  private static final Duration SLICE = Duration.ofMinutes(10);

  private static final Duration SLICE_MIN = Duration.ofSeconds(1);
  private static final Duration SLICE_MAX = Duration.ofDays(1);
  private static final int CHARGES_OF_SLICE = 5_000;
  private static final int CHARGES_OF_LONG_SLICE = 20_000;

  private final JdbcClient jdbc;
  private final TariffBook tariffs;
  private final SurchargeBook surcharges;
  private final LongSupplier nanoTime;
  private final Bounds bounds;

  /// @param nanoTime a clock that only goes forward, nanoseconds
  public TariffTrial(
      JdbcClient jdbc,
      TariffBook tariffs,
      SurchargeBook surcharges,
      LongSupplier nanoTime,
      Bounds bounds) {
    this.jdbc = jdbc;
    this.tariffs = tariffs;
    this.surcharges = surcharges;
    this.nanoTime = nanoTime;
    this.bounds = bounds;
  }

  /// Rates all charges whose intervals began in a time, void ones left out.
  ///
  /// @param from start, included
  /// @param to end, excluded
  public TrialResult run(Tariff draft, Instant from, Instant to) {
    return run(draft, Scope.ALL, from, to);
  }

  /// Bills that are rated again.
  ///
  /// @param account null for all accounts
  /// @param serviceClass null for all classes; bills of other classes stay as they were
  public record Scope(@Nullable String account, @Nullable ServiceClass serviceClass) {
    public static final Scope ALL = new Scope(null, null);

    private boolean contains(FlowMeasure flow) {
      return serviceClass == null || serviceClass == flow.serviceClass();
    }
  }

  /// Rates charges whose intervals began in a time, void ones left out.
  ///
  /// @param from start, included
  /// @param to end, excluded
  public TrialResult run(Tariff draft, Scope scope, Instant from, Instant to) {
    return new Run(draft, scope, from, to, bounds, _ -> true).result();
  }

  /// Does the same without bounds, for as long as somebody wants it.
  ///
  /// @param goesOn gets the end of the time that is rated, again and again; false ends the trial
  TrialResult runWhole(
      Tariff draft, Scope scope, Instant from, Instant to, Predicate<Instant> goesOn) {
    return new Run(draft, scope, from, to, NO_BOUNDS, goesOn).result();
  }

  /// One trial.
  private final class Run {
    private final Tariff draft;
    private final Scope scope;
    private final Instant from;
    private final Instant to;
    private final Bounds bounds;
    private final Predicate<Instant> goesOn;
    private final TrialSums sums = new TrialSums();
    private final Map<String, List<SurchargeVersion>> asked = new HashMap<>();
    private int charges;

    Run(
        Tariff draft,
        Scope scope,
        Instant from,
        Instant to,
        Bounds bounds,
        Predicate<Instant> goesOn) {
      this.draft = draft;
      this.scope = scope;
      this.from = from;
      this.to = to;
      this.bounds = bounds;
      this.goesOn = goesOn;
    }

    TrialResult result() {
      long began = nanoTime.getAsLong();
      Instant covered = from;
      boolean isComplete = true;
      Duration length = SLICE;
      while (covered.isBefore(to) && isComplete) {
        if (!goesOn.test(covered)) {
          isComplete = false;
          break;
        }
        Instant end = covered.plus(length).isBefore(to) ? covered.plus(length) : to;
        int left = bounds.charges() - charges;
        int most = length.equals(SLICE_MIN) ? left : Math.min(left, CHARGES_OF_LONG_SLICE);
        List<ChargedReport> slice = read(covered, end, most + 1);
        int more = slice.stream().mapToInt(each -> each.flows().size()).sum();
        Duration least = most < left ? SLICE_MIN : SLICE;
        if (more > most && length.compareTo(least) > 0) {
          length = shorter(length, least);
          continue;
        }
        isComplete = more <= left && nanoTime.getAsLong() - began <= bounds.duration().toNanos();
        if (isComplete) {
          charges += more;
          slice.forEach(this::add);
          covered = end;
          length = next(length, more);
        }
      }
      List<TariffVersion> versions = tariffs.versions();
      Function<Instant, TariffVersion> inForce = time -> TariffBook.inForce(versions, time);
      TariffVersion always = new TariffVersion(1, Instant.EPOCH, draft, "");
      return sums.result(
          from, covered, isComplete, inForce, scope.serviceClass() == null ? _ -> always : inForce);
    }

    private void add(ChargedReport report) {
      RatedReport rated =
          RatedReport.of(
              report.measures(), report.intervalMs(), new Terms(draft, surcharge(report)));
      sums.add(
          report,
          IntStream.range(0, report.flows().size())
              .mapToObj(i -> {
                ChargedReport.Flow flow = report.flows().get(i);
                return scope.contains(flow.measure())
                    ? rated.flows().get(i).lines()
                    : flow.posted();
              })
              .toList());
    }

    private static Duration shorter(Duration length, Duration least) {
      Duration shorter = length.compareTo(SLICE) > 0 ? SLICE : length.dividedBy(2);
      return shorter.compareTo(least) < 0 ? least : shorter;
    }

    private static Duration next(Duration length, int charges) {
      if (charges > CHARGES_OF_SLICE) {
        return length.compareTo(SLICE) > 0 ? SLICE : length;
      }
      Duration twice = length.multipliedBy(2);
      return charges > CHARGES_OF_SLICE / 2
          ? length
          : twice.compareTo(SLICE_MAX) < 0 ? twice : SLICE_MAX;
    }

    private Surcharge surcharge(ChargedReport report) {
      Integer version = report.surchargeVersion();
      return version == null
          ? Surcharge.NONE
          : asked.computeIfAbsent(report.owner(), surcharges::of).get(version - 1).surcharge();
    }

    // The time comes first, then each interval by its id. Without MATERIALIZED and OFFSET 0 a plan
    // for
    // any time walks along the index of the order, or joins all intervals.
    private List<ChargedReport> read(Instant start, Instant end, int most) {
      List<ChargedReport> reports = new ArrayList<>();
      Reading reading = new Reading(reports);
      jdbc.sql(
              """
              with c as materialized (
                select * from current_charge where started_at >= ? and started_at < ? and (account = ? or ?))
              select c.*, k.call_id, i.owner, i.tariff_version, i.surcharge_version, i.ended_at,
                coalesce(c.revised_tariff_version, i.tariff_version) as flow_tariff_version
              from c cross join lateral (select * from charging_interval where id = c.interval_id offset 0) i
              left join carried_flow k on (k.interval_id, k.flow) = (c.interval_id, c.flow)
              where i.state <> 'VOID' order by c.interval_id, c.flow limit ?
              """)
          .param(Timestamp.from(start))
          .param(Timestamp.from(end))
          .param(scope.account() == null ? "" : scope.account())
          .param(scope.account() == null)
          .param(most)
          .query(row -> {
            reading.add(
                row.getLong("interval_id"),
                ChargedReports.report(row, List.of()),
                ChargedReports.flow(row));
          });
      reading.end();
      return reports;
    }
  }

  /// Puts rows of flows together to reports.
  private static final class Reading {
    private final List<ChargedReport> reports;
    private final List<ChargedReport.Flow> flows = new ArrayList<>();
    private ChargedReport head = NONE;
    private long interval = -1;

    private static final ChargedReport NONE =
        new ChargedReport("", "", 0, null, Instant.EPOCH, 0, List.of());

    Reading(List<ChargedReport> reports) {
      this.reports = reports;
    }

    void add(long ofInterval, ChargedReport report, ChargedReport.Flow flow) {
      if (ofInterval != interval) {
        end();
        interval = ofInterval;
        head = report;
      }
      flows.add(flow);
    }

    void end() {
      if (!flows.isEmpty()) {
        reports.add(head.with(List.copyOf(flows)));
        flows.clear();
      }
    }
  }
}
