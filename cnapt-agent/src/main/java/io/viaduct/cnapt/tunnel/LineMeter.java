package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.cnapt.policy.TowardsHere;
import io.viaduct.cnapt.snapts.LineLoad;
import io.viaduct.cnapt.snapts.SnaptFacts;
import io.viaduct.cnapt.snapts.SnaptPrices;
import io.viaduct.tunnel.control.v1.LineRate;
import io.viaduct.tunnel.control.v1.PathRate;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Measures what one session carries, by class, over about the last second. Called after each
/// batch; allocates nothing then. Owner: the data path's event loop.
final class LineMeter {
  private static final long SAMPLE_NS = 500_000_000;

  private @Nullable TunnelSession session;
  // Outer bytes of each class, in both directions: now less two samples ago.
  private final long[] sentBefore = new long[ServiceClass.COUNT];
  private final long[] sentSample = new long[ServiceClass.COUNT];
  private final long[] receivedBefore = new long[ServiceClass.COUNT];
  private final long[] receivedSample = new long[ServiceClass.COUNT];
  private double towardsHere = Double.POSITIVE_INFINITY;
  private final long[] queuedTowardsHere = new long[ServiceClass.COUNT];
  private final TowardsHere[] paths = new TowardsHere[TunnelLimits.PATHS_MAX]; // by id
  private volatile double roundTripMs = Double.NaN; // written by the event loop
  private long beforeNs;
  private long sampleNs;

  LineMeter() {
    Arrays.fill(paths, TowardsHere.NEVER_FULL);
  }

  /// Starts with a new session.
  void begin(TunnelSession begun, long nowNs) {
    session = begun;
    told(LineRate.getDefaultInstance());
    sample(begun, nowNs);
    sample(begun, nowNs);
  }

  /// Takes what the SNAPT tells about the line towards here.
  void told(LineRate rate) {
    long bitPerSecond = rate.getBitPerSecond();
    towardsHere = bitPerSecond <= 0 ? Double.POSITIVE_INFINITY : bitPerSecond;
    List<Long> queuedBytes = rate.getQueuedBytesList();
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      queuedTowardsHere[c] = c < queuedBytes.size() ? Math.max(0, queuedBytes.get(c)) : 0;
    }
    Arrays.fill(paths, TowardsHere.NEVER_FULL);
    for (PathRate each : rate.getPathsList()) {
      int id = each.getPath();
      if (id >= 0 && id < paths.length) {
        paths[id] = towardsHere(each);
      }
    }
  }

  private static TowardsHere towardsHere(PathRate told) {
    long spare = told.getSpareBitPerSecond();
    boolean isKnown = told.hasSpareBitPerSecond() && spare >= 0 && spare < PathStatus.UNKNOWN_RATE;
    return new TowardsHere(isKnown ? spare : PathStatus.UNKNOWN_RATE, told.getBad());
  }

  /// Returns what the SNAPT has told about a path.
  TowardsHere towardsHere(int path) {
    return paths[path];
  }

  /// Takes a sample if the last one is old.
  void note(long nowNs) {
    TunnelSession of = session;
    if (of != null && nowNs - sampleNs >= SAMPLE_NS) {
      sample(of, nowNs);
    }
  }

  /// Returns the smoothed round trip at the last sample; NaN before. Any thread may call this.
  double roundTripMs() {
    return roundTripMs;
  }

  private void sample(TunnelSession of, long nowNs) {
    beforeNs = sampleNs;
    sampleNs = nowNs;
    roundTripMs = of.roundTripUs() / 1000;
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      sentBefore[c] = sentSample[c];
      receivedBefore[c] = receivedSample[c];
      sentSample[c] = of.totals().sent(ServiceClass.of(c)).postBytes();
      receivedSample[c] = of.totals().received(ServiceClass.of(c)).postBytes();
    }
  }

  /// Returns what the session measures.
  ///
  /// @param name of the SNAPT
  /// @param prices surcharges of its owner
  /// @param load as the SNAPT tells it, 0 to 1
  SnaptFacts facts(
      String name, SnaptFacts.State state, SnaptPrices prices, double load, long nowNs) {
    TunnelSession of = session;
    if (of == null) {
      return SnaptFacts.unknown(name);
    }
    note(nowNs);
    double perBit = 8e9 / Math.max(1, nowNs - beforeNs);
    double[] sent = new double[ServiceClass.COUNT];
    double[] received = new double[ServiceClass.COUNT];
    double own = 0;
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      long up = of.totals().sent(ServiceClass.of(c)).postBytes() - sentBefore[c];
      long down = of.totals().received(ServiceClass.of(c)).postBytes() - receivedBefore[c];
      sent[c] = up * perBit;
      received[c] = down * perBit + queuedTowardsHere[c] * 8.0;
      own += (up + down) * perBit;
    }
    return new SnaptFacts(
        name,
        state,
        of.roundTripUs() / 1000,
        new LineLoad(of.confirmedBitPerSecond(nowNs), sent),
        new LineLoad(towardsHere, received),
        own,
        prices,
        load);
  }
}
