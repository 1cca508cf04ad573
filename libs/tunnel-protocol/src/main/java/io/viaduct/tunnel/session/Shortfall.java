package io.viaduct.tunnel.session;

import io.viaduct.tunnel.path.FlapHold;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Knows the paths that are too slow for one low-delay class: the share of what the class offers
/// that they could not carry. Probes do not show it, because they leave ahead of the class's queue,
/// and [io.viaduct.tunnel.scheduling.DelayControl] drops packets before they reach the path.
///
/// - What the class offers is measured over half a second, and forgotten with a time constant of
///   ten: a sender that brakes on a slow path still wants more.
/// - The path that carries the class is too slow only while its packets wait there.
/// - Any other path is judged by the rate that a receipt has confirmed within ten seconds. The rate
///   at which the class has left it counts longer, because nothing else would show it: for a
///   minute, and twice as long each time that the class has to leave it again soon.
final class Shortfall {
  private static final long OFFERED_NS = 500_000_000;
  private static final double FORGOTTEN_NS = 10e9;

  /// Time for which a wait is remembered: the queue is drained now and then.
  private static final long WAITED_NS = 250_000_000;

  static final long TRUST_NS_MIN = 60_000_000_000L;
  static final long TRUST_NS_MAX = 1_800_000_000_000L;

  /// Measurements of a path.
  private static final class Known {
    private final int network;
    private final FlapHold trust = new FlapHold(TRUST_NS_MIN, TRUST_NS_MAX, TRUST_NS_MIN);
    private long waitedNs;
    private boolean wasLeft;
    private long leftNs;
    private double leftPerSecond;

    Known(int network, long waitedNs) {
      this.network = network;
      this.waitedNs = waitedNs;
    }

    boolean isTrusted(long nowNs) {
      return wasLeft && nowNs - leftNs < trust.holdNs(nowNs);
    }
  }

  private final ServiceClass of;
  private @Nullable Map<SessionPath, Known> known; // made for the first path that is too slow
  private long offeredBytes;
  private long sinceNs;
  private double perSecond;

  Shortfall(ServiceClass of, long nowNs) {
    this.of = of;
    sinceNs = nowNs;
  }

  /// Counts a packet of the class, before it is admitted.
  void offered(int bytes) {
    offeredBytes += bytes;
  }

  /// Looks at the path that carries the class.
  void look(SessionPath held, long nowNs) {
    long elapsedNs = nowNs - sinceNs;
    if (elapsedNs >= OFFERED_NS) {
      double present = offeredBytes * 1e9 / elapsedNs;
      perSecond = Math.max(present, perSecond * Math.exp(-elapsedNs / FORGOTTEN_NS));
      offeredBytes = 0;
      sinceNs = nowNs;
    }
    if (held.isFull(of, nowNs)) {
      knownFromNowOn(held, nowNs).waitedNs = nowNs;
    }
  }

  /// Returns the share of what the class offers that a path cannot carry, 0 to 1.
  ///
  /// @param held the path that carries the class
  double of(SessionPath path, SessionPath held, long nowNs) {
    double carried = path == held ? carriedByHeld(held, nowNs) : carriedByOther(path, nowNs);
    return carried >= perSecond ? 0 : 1 - carried / perSecond;
  }

  private double carriedByHeld(SessionPath held, long nowNs) {
    Known its = known(held);
    boolean waits = its != null && nowNs - its.waitedNs < WAITED_NS;
    return waits ? held.pacing.pacer().bytesPerSecond() : Double.POSITIVE_INFINITY;
  }

  private double carriedByOther(SessionPath path, long nowNs) {
    double confirmed = path.pacing.pacer().confirmedPerSecond(nowNs);
    Known its = known(path);
    return confirmed != Double.POSITIVE_INFINITY || its == null || !its.isTrusted(nowNs)
        ? confirmed
        : its.leftPerSecond;
  }

  private Known knownFromNowOn(SessionPath path, long nowNs) {
    Known its = known(path);
    if (its != null) {
      return its;
    }
    Map<SessionPath, Known> paths = known == null ? new HashMap<>() : known;
    known = paths;
    Known made = new Known(path.network, nowNs - WAITED_NS);
    paths.put(path, made);
    return made;
  }

  private @Nullable Known known(SessionPath path) {
    Known its = known == null ? null : known.get(path);
    return its == null || its.network != path.network ? null : its;
  }

  /// Notes that the class leaves the path that carried it, for whatever reason: a line that becomes
  /// too slow loses packets first, until the sender knows its rate.
  void left(SessionPath held, long nowNs) {
    if (held.pacing.pacer().bytesPerSecond() < perSecond) {
      Known its = knownFromNowOn(held, nowNs);
      its.trust.changed(nowNs);
      its.wasLeft = true;
      its.leftNs = nowNs;
      its.leftPerSecond = held.pacing.pacer().bytesPerSecond();
    }
  }
}
