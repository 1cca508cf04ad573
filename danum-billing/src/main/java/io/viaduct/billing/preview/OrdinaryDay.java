package io.viaduct.billing.preview;

import io.viaduct.billing.rating.DelaySource;
import io.viaduct.billing.rating.Demand;
import io.viaduct.billing.rating.FlowMeasure;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// A day of an ordinary user as a SNAPT would report it: one report a minute, with one flow for
/// each activity. The path serves the low-delay classes first and shares the rest; what does not
/// fit waits for the next minute.
public final class OrdinaryDay {
  public static final long INTERVAL_MS = 60_000;

  /// One report.
  ///
  /// @param minute minute of the day in which the interval begins
  /// @param activities activity of each flow
  /// @param flows what was measured
  public record Report(int minute, List<Activity> activities, List<FlowMeasure> flows) {}

  private final Network network;
  private final Map<Activity, Double> backlog = new EnumMap<>(Activity.class);

  private OrdinaryDay(Network network) {
    this.network = network;
  }

  /// Generates the reports of a day. The same seed gives the same day.
  public static List<Report> reports(long seed, Network network) {
    Wishes wishes = Wishes.of(seed, network);
    OrdinaryDay day = new OrdinaryDay(network);
    List<Report> reports = new ArrayList<>();
    for (int minute = 0; minute < Wishes.MINUTES; minute++) {
      Report report = day.carry(minute, wishes.in(minute));
      if (!report.flows().isEmpty()) {
        reports.add(report);
      }
    }
    return reports;
  }

  private Report carry(int minute, Map<Activity, Double> wanted) {
    backlog.forEach((activity, bytes) -> wanted.merge(activity, bytes, Double::sum));
    backlog.clear();
    double lowDelay = sum(wanted, true);
    double rest = sum(wanted, false);
    double room = Math.max(0, network.bytesPerMinute() - lowDelay);
    double fits = rest <= room ? 1.0 : room / rest;
    List<Activity> activities = new ArrayList<>();
    List<FlowMeasure> flows = new ArrayList<>();
    wanted.forEach((activity, bytes) -> {
      double carried = activity.isLowDelay() ? bytes : bytes * fits;
      if (carried < bytes) {
        backlog.put(activity, bytes - carried);
      }
      activities.add(activity);
      flows.add(flow(activity, (long) carried, carried < bytes, room, lowDelay + rest * fits));
    });
    return new Report(minute, activities, flows);
  }

  private static double sum(Map<Activity, Double> wanted, boolean isLowDelay) {
    return wanted.entrySet().stream()
        .filter(one -> one.getKey().isLowDelay() == isLowDelay)
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  // A flow has data waiting while its bytes leave at the rate that is there for it, or always if
  // they do not fit. While it has not, the path could carry what nobody uses.
  private FlowMeasure flow(
      Activity activity, long bytes, boolean waits, double room, double carried) {
    double there = activity.isLowDelay() ? network.bytesPerMinute() : room;
    double busy = waits ? 1.0 : Math.min(1.0, bytes / there);
    double spare =
        Math.max(0, network.bytesPerMinute() - carried) * 8 / 1000 / (INTERVAL_MS / 1000.0);
    boolean isQueued = waits && !activity.isLowDelay();
    return new FlowMeasure(
        activity.serviceClass(),
        activity.application(),
        bytes,
        Math.round(bytes * activity.wireShare()),
        network.loss(),
        INTERVAL_MS,
        network.delayMs() + (isQueued ? network.queueMs() : 0),
        null,
        DelaySource.MEASURED,
        new Demand(busy, spare, Demand.End.SNAPT));
  }
}
