package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.policy.FlowPlacement;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.cnapt.policy.SteadyPath;
import io.viaduct.tunnel.session.PathReason;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Says in a sentence why a flow takes its path, with the numbers that decided.
final class PathWords {
  private static final double NS_PER_S = 1e9;

  private PathWords() {}

  static String why(
      PathReason reason, FlowPlacement placement, List<PathStatus> paths, long nowNs) {
    return switch (reason.kind()) {
      case UNUSED -> "no packet of it has left yet";
      case FORBIDDEN -> "its rule allows no path that works, so its packets are dropped";
      case ONLY -> "no other path is in use";
      case RULE -> byRule(placement, paths, nowNs);
      case DELAY ->
          "it has the least delay with its loss ("
              + numbers(paths, PathWords::delay)
              + "); "
              + hold(
                  paths,
                  reason.rival(),
                  reason.rivalSinceNs(),
                  reason.holdNs(),
                  "20 % and 5 ms",
                  nowNs);
      case CARRIES ->
          "it has the least delay of those that carry its class; a nearer one is too slow ("
              + numbers(paths, path -> delay(path) + ", " + rate(path))
              + "); "
              + hold(
                  paths,
                  reason.rival(),
                  reason.rivalSinceNs(),
                  reason.holdNs(),
                  "20 % and 5 ms",
                  nowNs);
      case RATE ->
          "it stays on its path, which has no queue and loses less than 5 % ("
              + numbers(paths, PathWords::rate)
              + ")";
      case FULL ->
          "its path is full; it moves when another one has no queue ("
              + numbers(paths, PathWords::rate)
              + ")"
              + rest(reason.holdNs() - (nowNs - reason.sinceNs()));
      case BAD ->
          "every path loses 5 % and more, or this one did so lately ("
              + numbers(paths, PathWords::loss)
              + ")";
      case SPREAD ->
          (placement.line().isBuiltIn() ? "it fills a path alone, so" : "its rule says so:")
              + " each packet takes the path by which it should arrive first ("
              + numbers(paths, path -> delay(path) + ", " + rate(path))
              + ")";
    };
  }

  private static String rest(long restNs) {
    return restNs <= 0
        ? ""
        : text("; it has moved lately and stays for %.1f s more", restNs / NS_PER_S);
  }

  private static String byRule(FlowPlacement placement, List<PathStatus> paths, long nowNs) {
    var decision = placement.last();
    if (decision == null) {
      return "its rule has chosen it";
    }
    SteadyPath.Rivalry rivalry = placement.rivalry(nowNs);
    return switch (decision.step().method()) {
      case OWN -> "its rule allows no other link";
      case THROUGHPUT, PACKET ->
          "it had the most spare rate ("
              + numbers(paths, PathWords::rate)
              + "); "
              + hold(paths, rivalry.rival(), rivalry.sinceNs(), rivalry.holdNs(), "25 %", nowNs);
      case COST ->
          "it is the cheapest that carries the flow ("
              + numbers(paths, path -> text("%.2f per gigabyte, ", path.cost()) + rate(path))
              + "); "
              + hold(
                  paths, rivalry.rival(), rivalry.sinceNs(), rivalry.holdNs(), "any amount", nowNs);
      case LOWEST_DELAY, LOWEST_DELAY_COPY, ALL ->
          "it has the least delay with its loss ("
              + numbers(paths, PathWords::delay)
              + "); "
              + hold(
                  paths,
                  rivalry.rival(),
                  rivalry.sinceNs(),
                  rivalry.holdNs(),
                  "20 % and 5 ms",
                  nowNs);
    };
  }

  private static String hold(
      List<PathStatus> paths, int rival, long sinceNs, long holdNs, String margin, long nowNs) {
    return paths.stream()
        .filter(path -> path.id() == rival)
        .findFirst()
        .map(path ->
            text(
                "%s has been better by %s for %.1f s, and is taken after %.1f s",
                path.link(), margin, (nowNs - sinceNs) / NS_PER_S, holdNs / NS_PER_S))
        .orElseGet(
            () -> text("another path must be better by %s for %.1f s", margin, holdNs / NS_PER_S));
  }

  private static String numbers(List<PathStatus> paths, Function<PathStatus, String> number) {
    return paths.stream()
        .filter(path -> !path.use().equals("no"))
        .map(path -> path.link() + " " + number.apply(path))
        .collect(Collectors.joining("; "));
  }

  private static String delay(PathStatus path) {
    Double counted = path.countedDelayMs();
    Double roundTrip = path.delayMs();
    return counted == null || roundTrip == null
        ? "not measured"
        : text("%.1f ms = %.1f ms + loss", counted, roundTrip);
  }

  private static String rate(PathStatus path) {
    return path.spareBitPerSecond() >= PathStatus.UNKNOWN_RATE
        ? "never full"
        : text("%.2f Mbit/s spare", path.spareBitPerSecond() / 1e6);
  }

  private static String loss(PathStatus path) {
    return text("%.1f %%", path.usualLossPercent());
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
