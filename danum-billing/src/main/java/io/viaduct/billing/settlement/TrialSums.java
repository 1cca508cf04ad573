package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.FlowMeasure;
import io.viaduct.billing.settlement.CappedDay.Day;
import io.viaduct.billing.settlement.CappedDay.Hour;
import io.viaduct.billing.settlement.TrialResult.AccountComparison;
import io.viaduct.billing.settlement.TrialResult.AccountGroup;
import io.viaduct.billing.settlement.TrialResult.Compared;
import io.viaduct.billing.settlement.TrialResult.NamedComparison;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.TariffVersion;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Adds up reports under two tariffs: in all, by class, by application and by account.
final class TrialSums {
  private static final int SHOWN_MAX = 20;

  /// Bounds between the groups of accounts: what they paid, in denarii.
  private static final long[] GROUP_BOUNDS = {0, 1, 10, 100};

  private final Sum total = new Sum();
  private final Map<ServiceClass, Sum> classes = new EnumMap<>(ServiceClass.class);
  private final Map<String, Sum> applications = new HashMap<>();
  private final Map<Day, Map<HourOfApplication, long[]>> days = new HashMap<>();
  private long reports;

  private record HourOfApplication(Instant begin, String application)
      implements Comparable<HourOfApplication> {
    private static final Comparator<HourOfApplication> ORDER =
        Comparator.comparing(HourOfApplication::begin)
            .thenComparing(HourOfApplication::application);

    @Override
    public int compareTo(HourOfApplication other) {
      return ORDER.compare(this, other);
    }
  }

  /// A sum that grows. The caps are known at the end only.
  private static final class Sum {
    private long charges;
    private long preBytes;
    private BillLines before = BillLines.NOTHING;
    private BillLines after = BillLines.NOTHING;

    void add(FlowMeasure measure, BillLines posted, BillLines rated) {
      charges++;
      preBytes += measure.preBytes();
      before = before.plus(posted);
      after = after.plus(rated);
    }

    Compared compared(MicroDenarii capBefore, MicroDenarii capAfter) {
      return new Compared(charges, preBytes, before, after, capBefore, capAfter);
    }

    Compared compared() {
      return compared(MicroDenarii.ZERO, MicroDenarii.ZERO);
    }

    long largest() {
      return Math.max(before.net().value(), after.net().value());
    }
  }

  /// Adds a report as it was posted and as it would have been.
  ///
  /// @param rated the bills of its flows, in their order
  void add(ChargedReport report, List<BillLines> rated) {
    Instant start = report.start();
    reports++;
    Day day = new Day(report.account(), LocalDate.ofInstant(start, ZoneOffset.UTC));
    Map<HourOfApplication, long[]> hours = days.computeIfAbsent(day, _ -> new TreeMap<>());
    for (int i = 0; i < report.flows().size(); i++) {
      ChargedReport.Flow flow = report.flows().get(i);
      BillLines after = rated.get(i);
      FlowMeasure measure = flow.measure();
      total.add(measure, flow.posted(), after);
      classes
          .computeIfAbsent(measure.serviceClass(), _ -> new Sum())
          .add(measure, flow.posted(), after);
      applications
          .computeIfAbsent(measure.application(), _ -> new Sum())
          .add(measure, flow.posted(), after);
      long[] paid =
          hours.computeIfAbsent(
              new HourOfApplication(start.truncatedTo(ChronoUnit.HOURS), measure.application()),
              _ -> new long[2]);
      paid[0] = Math.addExact(paid[0], flow.posted().net().value());
      paid[1] = Math.addExact(paid[1], after.net().value());
    }
  }

  /// Returns the sums, with the caps of each day taken off.
  ///
  /// @param inForce the tariff whose caps were in force at a time
  /// @param draft the tariff whose caps are compared with them
  TrialResult result(
      Instant from,
      Instant coveredTo,
      boolean isComplete,
      Function<Instant, TariffVersion> inForce,
      Function<Instant, TariffVersion> draft) {
    Map<String, long[]> accounts = new HashMap<>();
    long capBefore = 0;
    long capAfter = 0;
    for (Map.Entry<Day, Map<HourOfApplication, long[]>> each : days.entrySet()) {
      long above = above(each.getKey(), each.getValue(), 0, inForce);
      long aboveDraft = above(each.getKey(), each.getValue(), 1, draft);
      capBefore = Math.addExact(capBefore, above);
      capAfter = Math.addExact(capAfter, aboveDraft);
      long[] sums = accounts.computeIfAbsent(each.getKey().account(), _ -> new long[2]);
      each.getValue()
          .values()
          .forEach(paid -> {
            sums[0] = Math.addExact(sums[0], paid[0]);
            sums[1] = Math.addExact(sums[1], paid[1]);
          });
      sums[0] -= above;
      sums[1] -= aboveDraft;
    }
    List<AccountComparison> compared =
        accounts.entrySet().stream()
            .map(each ->
                new AccountComparison(
                    each.getKey(),
                    new MicroDenarii(each.getValue()[0]),
                    new MicroDenarii(each.getValue()[1])))
            .toList();
    Map<ServiceClass, Compared> byClass = new EnumMap<>(ServiceClass.class);
    classes.forEach((serviceClass, sum) -> byClass.put(serviceClass, sum.compared()));
    return new TrialResult(
        from,
        coveredTo,
        isComplete,
        reports,
        compared.size(),
        total.compared(new MicroDenarii(capBefore), new MicroDenarii(capAfter)),
        byClass,
        applications.entrySet().stream()
            .sorted(
                Comparator.<Map.Entry<String, Sum>>comparingLong(each -> -each.getValue().largest())
                    .thenComparing(Map.Entry::getKey))
            .limit(SHOWN_MAX)
            .map(each -> new NamedComparison(each.getKey(), each.getValue().compared()))
            .toList(),
        groups(compared),
        compared.stream()
            .filter(each -> !each.rise().isZero())
            .sorted(
                Comparator.<AccountComparison>comparingLong(each -> -Math.abs(each.rise().value()))
                    .thenComparing(AccountComparison::account))
            .limit(SHOWN_MAX)
            .toList());
  }

  private static long above(
      Day day,
      Map<HourOfApplication, long[]> hours,
      int which,
      Function<Instant, TariffVersion> tariffs) {
    List<Hour> paid = new ArrayList<>();
    hours.forEach((hour, sums) ->
        paid.add(new Hour(hour.application(), hour.begin(), new MicroDenarii(sums[which]))));
    return CappedDay.excesses(day, paid, tariffs).stream()
        .mapToLong(excess -> excess.amount().value())
        .sum();
  }

  private static List<AccountGroup> groups(List<AccountComparison> accounts) {
    List<AccountGroup> groups = new ArrayList<>();
    for (int i = 0; i <= GROUP_BOUNDS.length; i++) {
      MicroDenarii least = i == 0 ? null : MicroDenarii.ofDenarii(GROUP_BOUNDS[i - 1]);
      MicroDenarii most = i == GROUP_BOUNDS.length ? null : MicroDenarii.ofDenarii(GROUP_BOUNDS[i]);
      // Nobody belongs to two groups: what was paid exactly at 0 is in the group from 0 on.
      AccountGroup group =
          group(
              accounts.stream().filter(each -> isWithin(each.before(), least, most)).toList(),
              least,
              most);
      if (group.accounts() > 0) {
        groups.add(group);
      }
    }
    return groups;
  }

  private static boolean isWithin(
      MicroDenarii paid, @Nullable MicroDenarii least, @Nullable MicroDenarii most) {
    return (least == null || paid.compareTo(least) >= 0)
        && (most == null || paid.compareTo(most) < 0);
  }

  private static AccountGroup group(
      List<AccountComparison> accounts, @Nullable MicroDenarii least, @Nullable MicroDenarii most) {
    return new AccountGroup(
        least,
        most,
        accounts.size(),
        accounts.stream().filter(each -> each.rise().value() > 0).count(),
        accounts.stream().filter(each -> each.rise().value() < 0).count(),
        accounts.stream()
            .map(AccountComparison::before)
            .reduce(MicroDenarii.ZERO, MicroDenarii::plus),
        accounts.stream()
            .map(AccountComparison::after)
            .reduce(MicroDenarii.ZERO, MicroDenarii::plus));
  }
}
