package io.viaduct.testbed.bench;

import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.Verdict;
import io.viaduct.testbed.traffic.Way;
import io.viaduct.tunnel.terms.Scheduling;
import io.viaduct.tunnel.terms.TunnelSettings;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Result of one class in one run on a saturated line, without or with the tunnel.
///
/// @param rateBitPerSecond offered rate of IP packets
/// @param alone result without bulk load; null for bulk
record ClassLine(
    AccessLine access,
    Bulk bulk,
    Way way,
    String peer,
    TrafficClass of,
    double rateBitPerSecond,
    double seconds,
    ClassResult result,
    @Nullable ClassResult alone) {
  private static final double FLOOR_PERCENT = TunnelSettings.defaults().floorPercent();

  /// Returns the columns of delay and share.
  ///
  /// @param all lines, among which shares are computed
  static Grid<ClassLine> grid(List<ClassLine> all) {
    var grid =
        new Grid<ClassLine>()
            .text("line Mbit/s", "lineMbitPerSecond", line -> line.access.toString())
            .text("bulk", "bulk", ClassLine::bulk)
            .cell("way", line -> line.way.name().toLowerCase(Locale.ROOT))
            .member("way", ClassLine::way)
            .text("by", "by", ClassLine::peer)
            .text("class", "class", ClassLine::of)
            .number(
                "offered kbit/s", "offeredKbitPerSecond", 0, line -> line.rateBitPerSecond / 1e3)
            .number("arrived kbit/s", "arrivedKbitPerSecond", 0, ClassLine::arrivedKbitPerSecond)
            .number("share %", "sharePercent", 1, line -> line.percentOf(all, other -> true))
            .member("packetsSent", line -> line.result.sent())
            .member("packetsReceived", line -> line.result.received())
            .number("lost %", "lostPercent", 1, ClassLine::lostPercent);
    grid.number("delay alone p50 ms", "aloneDelayMsP50", 1, line -> ms(line.alone, 50))
        .member("aloneDelayMsP95", line -> ms(line.alone, 95))
        .number("p99 ms", "aloneDelayMsP99", 1, line -> ms(line.alone, 99))
        .number("with bulk p50 ms", "delayMsP50", 1, line -> ms(line.result, 50))
        .number("p95 ms", "delayMsP95", 1, line -> ms(line.result, 95))
        .number("p99 ms", "delayMsP99", 1, line -> ms(line.result, 99));
    return grid.number(
            "utility % of the largest", "utilityPercent", 1, line -> line.utility(all).percent())
        .number("worst second", "worstUtilityPercent", 1, line -> line.utility(all).worstPercent())
        .goal("p99 of Table I", "delayGoal", ClassLine::delay)
        .goal("floor", "floorGoal", line -> line.floor(all))
        .goal("utility", "utilityGoal", line -> line.utilityGoal(all));
  }

  private double arrivedKbitPerSecond() {
    return result.received() * of.packetBytes * 8 / seconds / 1e3;
  }

  private double lostPercent() {
    return 100.0 * (result.sent() - result.received()) / Math.max(1, result.sent());
  }

  /// Returns a percentile of the delay; NaN without a result.
  private static double ms(@Nullable ClassResult result, double percentile) {
    return result == null ? Double.NaN : result.delays().getValueAtPercentile(percentile) / 1e6;
  }

  private boolean isOurs() {
    return peer.startsWith(ViaductPeer.NAME);
  }

  private boolean hasMaxWeight() {
    return isOurs() && peer.endsWith(Scheduling.Order.MAX_WEIGHT.toString());
  }

  /// Returns the utility of all flows of the run.
  private LineUtility utility(List<ClassLine> all) {
    return new LineUtility(
        all.stream()
            .filter(this::isSameRun)
            .flatMap(line -> line.result.flows().stream())
            .toList());
  }

  private Optional<Verdict> utilityGoal(List<ClassLine> all) {
    return hasMaxWeight() && bulk == Bulk.FIVE
        ? Optional.of(Verdict.atLeast(98, "%", utility(all).percent()))
        : Optional.empty();
  }

  /// Compares our delay with the limit of the class's most sensitive application.
  private Optional<Verdict> delay() {
    return isOurs()
        ? Optional.of(Verdict.atMost(of.delayMsMax, "ms", ms(result, 99)))
        : Optional.empty();
  }

  /// Compares a saturating class's bytes with the bytes of the classes above it. Empty without the
  /// tunnel, which then has no classes, and with max-weight, which has no floor.
  private Optional<Verdict> floor(List<ClassLine> all) {
    return isOurs() && !hasMaxWeight() && of != TrafficClass.LT_LD && bulk.saturates(of)
        ? Optional.of(
            Verdict.atLeast(
                FLOOR_PERCENT, "% of the higher", percentOf(all, other -> other.of.isAbove(of))))
        : Optional.empty();
  }

  /// Returns this class's bytes as a percentage of the bytes of some lines of the same run.
  private double percentOf(List<ClassLine> all, Predicate<ClassLine> which) {
    return 100
        * arrivedKbitPerSecond()
        / all.stream()
            .filter(this::isSameRun)
            .filter(which)
            .mapToDouble(ClassLine::arrivedKbitPerSecond)
            .sum();
  }

  private boolean isSameRun(ClassLine other) {
    return access.equals(other.access)
        && bulk == other.bulk
        && way == other.way
        && peer.equals(other.peer);
  }
}
