package io.viaduct.cnapt.policy;

import io.viaduct.tunnel.path.ProbeCounts;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The status of one path, as `/status` shows it in the list `paths`.
///
/// @param snapt the SNAPT to which it leads; empty with a peer
/// @param link name of the interface by which it leaves; `any` if the kernel chooses it
/// @param remote address of the other end that it leads to
/// @param state name of a [PathState] in lower case
/// @param use `yes`, `spare` or `no`: whether the device lets packets leave by the path
/// @param why cause of the present use
/// @param sinceMs time since the use changed last
/// @param delayMs smoothed round trip; null before the first measurement
/// @param usualDelayMs round trip of about the last minute; null before the first measurement
/// @param countedDelayMs delay by which flows are placed: the round trip, and 10 ms for each
///   percent of `lossPercent`; null before the first measurement
/// @param clockOffsetMs the other end's clock minus this one's as this path has measured it; null
///   before the first measurement
/// @param delayErrorMs bound on the error of a one-way delay by that offset: half the round trip of
///   the measurement; null before the first one
/// @param lossPercent share of the device's bytes that was lost in about the last second
/// @param downLossPercent the same of the SNAPT's bytes
/// @param usualLossPercent greater of both shares in about the last ten seconds
/// @param pathMtu size of the largest outer IP packet that leaves now, in bytes
/// @param sentBitPerSecond rate at which datagrams left in about the last second
/// @param spareBitPerSecond rate that the path could carry in addition; [#UNKNOWN_RATE] while the
///   path has never been full
/// @param peerBitPerSecond rate at which the other end's datagrams left, as a peer that dials
///   shares it with the one that listens; 0 if it is not known
/// @param bad whether the device's bytes are lost so much that flows which count rate avoid the
///   path
/// @param down the direction from the SNAPT, as the SNAPT tells it
/// @param probes those of this end
public record PathStatus(
    int id,
    String snapt,
    String link,
    String remote,
    String state,
    String use,
    String why,
    long sinceMs,
    @Nullable Double delayMs,
    @Nullable Double usualDelayMs,
    @Nullable Double countedDelayMs,
    @Nullable Double clockOffsetMs,
    @Nullable Double delayErrorMs,
    double lossPercent,
    double downLossPercent,
    double usualLossPercent,
    int pathMtu,
    long sentBitPerSecond,
    long spareBitPerSecond,
    long peerBitPerSecond,
    double cost,
    boolean bad,
    TowardsHere down,
    ProbeCounts probes) {
  /// Rate of a path that has never been full: more than any path has.
  public static final long UNKNOWN_RATE = 1_000_000_000_000L;

  private static final String UNUSED = "no";
  private static final double NS_PER_MS = 1e6;

  /// Returns a copy for a path to a SNAPT.
  ///
  /// @param towardsHere what the SNAPT tells about the path
  public PathStatus to(String ofSnapt, TowardsHere towardsHere) {
    return new PathStatus(
        id,
        ofSnapt,
        link,
        remote,
        state,
        use,
        why,
        sinceMs,
        delayMs,
        usualDelayMs,
        countedDelayMs,
        clockOffsetMs,
        delayErrorMs,
        lossPercent,
        downLossPercent,
        usualLossPercent,
        pathMtu,
        sentBitPerSecond,
        spareBitPerSecond,
        peerBitPerSecond,
        cost,
        bad,
        towardsHere,
        probes);
  }

  /// Returns the spare rate, for a person.
  String spareText() {
    return spareBitPerSecond >= UNKNOWN_RATE
        ? "spare rate not known, it was never full"
        : String.format(Locale.ROOT, "%.1f Mbit/s spare", spareBitPerSecond / 1e6);
  }

  /// Returns the inputs of the choice by rate at both ends, for a person.
  String ratesText() {
    return "up "
        + rateText(spareBitPerSecond, bad)
        + ", down "
        + rateText(down.spareBitPerSecond(), down.bad());
  }

  private static String rateText(long spare, boolean isBad) {
    String rate =
        spare >= UNKNOWN_RATE
            ? "never full"
            : String.format(Locale.ROOT, "%.1f Mbit/s spare", spare / 1e6);
    return isBad ? rate + " but loses 5 % and more" : rate;
  }

  /// Returns the path as the rules see it. A path that no packet may leave by, such as one in its
  /// hold time, is no choice, so it counts as dead.
  ///
  /// @throws IllegalArgumentException for a state that this version does not know
  public PathSnapshot snapshot() {
    PathState named = PathState.valueOf(state.toUpperCase(Locale.ROOT));
    return new PathSnapshot(
        id,
        link,
        use.equals(UNUSED) ? PathState.DEAD : named,
        countedDelayMs == null
            ? PathSnapshot.UNKNOWN_DELAY
            : Math.round(countedDelayMs * NS_PER_MS),
        spareBitPerSecond,
        cost);
  }
}
