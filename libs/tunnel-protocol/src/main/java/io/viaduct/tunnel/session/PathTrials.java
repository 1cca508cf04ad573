package io.viaduct.tunnel.session;

import io.viaduct.tunnel.pacing.Pacer;
import io.viaduct.tunnel.pacing.RateTrials;
import io.viaduct.tunnel.pacing.TrainRun;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.OwnRoundTrip;
import io.viaduct.tunnel.wire.PathMessage;
import java.net.InetSocketAddress;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Tries one path, so that the price of what it carries is plausible: its rate by trains, at both
/// ends; at the SNAPT also its round trip, by numbers that the device cannot know before.
///
/// A train of the SNAPT stands between two such questions. The answer to the second one ends it:
/// the device cannot claim that the train has arrived sooner.
final class PathTrials {
  /// Jitter of a round trip that a train believes, in µs: what is longer is a queue.
  private static final double JITTER_US = 5_000;

  /// Largest datagram of a train, so that a whole train leaves as one run.
  static final int SIZE_MAX = 1_500;

  private final RateTrials trains = new RateTrials();
  private final RandomGenerator random;
  private final @Nullable OwnRoundTrip roundTrip;
  private boolean closing;
  private long closingNonce;

  /// @param atDevice true at the end that answers the questions
  PathTrials(boolean atDevice, RandomGenerator random) {
    this.random = random;
    roundTrip = atDevice ? null : new OwnRoundTrip(random);
  }

  /// Sends what is due, because data come by the path.
  ///
  /// @param to as in [PathMessages#add]
  void run(SessionPath path, @Nullable InetSocketAddress to, long nowNs) {
    endAtDevice(path, nowNs);
    boolean asks = roundTrip != null && roundTrip.isDue(nowNs);
    if ((roundTrip == null || roundTrip.isSettled()) && mayTrain(path)) {
      int size = Math.min(SIZE_MAX, path.mtu.size());
      double known = path.pacing.pacer().capacityPerSecond(nowNs);
      int run = trains.due(known, size, nowNs);
      if (run != RateTrials.NONE) {
        send(run, size, path, to, nowNs);
        return;
      }
    }
    if (asks) {
      ask(path, to, nowNs);
    }
  }

  // A train would lengthen a queue, and a path whose queue stands here is known.
  private static boolean mayTrain(SessionPath path) {
    Pacer pacer = path.pacing.pacer();
    return !path.unknown
        && path.mtu.isComplete()
        && !pacer.isLimiting()
        && path.queues.isEmpty()
        && path.messages.isEmpty();
  }

  private void send(
      int run, int size, SessionPath path, @Nullable InetSocketAddress to, long nowNs) {
    ask(path, to, nowNs);
    PathMessage.MtuProbe probe = new PathMessage.MtuProbe(run, size);
    for (int i = 0; i < TrainRun.length(run); i++) {
      path.messages.add(probe, Carrier.UDP, to);
    }
    if (roundTrip != null) {
      closing = true;
      closingNonce = random.nextLong();
      path.messages.add(new PathMessage.Challenge(closingNonce), Carrier.UDP, to);
    }
  }

  private void ask(SessionPath path, @Nullable InetSocketAddress to, long nowNs) {
    if (roundTrip != null) {
      path.messages.add(new PathMessage.Challenge(roundTrip.ask(nowNs)), Carrier.UDP, to);
    }
  }

  /// Takes the answer to a datagram of a train.
  void acknowledged(int run, SessionPath path, long nowNs) {
    trains.arrived(run, nowNs);
    endAtDevice(path, nowNs);
  }

  // The SNAPT ends its trains by a question behind them; here an answer may be lost.
  private void endAtDevice(SessionPath path, long nowNs) {
    if (roundTrip == null) {
      double roundTripUs = ofTrain(path.roundTripUs(), path.probes.leastRoundTripUs());
      if (trains.isOver((long) (roundTripUs * 1000), nowNs)) {
        learn(path, roundTripUs, trains.arrivedNs());
      }
    }
  }

  // The smoothed round trip may have waited in a queue that is gone.
  private static double ofTrain(double smoothedUs, double leastUs) {
    double boundUs = leastUs + JITTER_US;
    return Double.isNaN(smoothedUs) ? 0 : smoothedUs > boundUs ? boundUs : smoothedUs;
  }

  /// Takes the answer to a question. @return false if this path has not asked it
  boolean answered(long nonce, SessionPath path, long nowNs) {
    if (roundTrip == null) {
      return false;
    }
    if (closing && nonce == closingNonce) {
      closing = false;
      learn(path, Math.min(roundTrip.lastUs(), roundTrip.leastUs() + JITTER_US), nowNs);
      return true;
    }
    return roundTrip.answered(nonce, nowNs);
  }

  private void learn(SessionPath path, double roundTripUs, long nowNs) {
    double perSecond = trains.ended((long) (roundTripUs * 1000), nowNs);
    if (perSecond > 0) {
      path.pacing.pacer().carries(perSecond, nowNs);
    }
  }

  /// Starts an interval of [#roundTripUs].
  void start() {
    if (roundTrip != null) {
      roundTrip.start();
    }
  }

  /// Returns the bound on one-way delays that this end has measured in the interval, in µs; NaN
  /// without one.
  double roundTripUs() {
    return roundTrip == null ? Double.NaN : roundTrip.boundUs();
  }

  /// Forgets all measurements, because the path has changed.
  void pathChanged() {
    closing = false;
    trains.pathChanged();
    if (roundTrip != null) {
      roundTrip.forget();
    }
  }
}
