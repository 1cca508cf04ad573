package io.viaduct.cnapt.snapts;

import io.viaduct.tunnel.wire.ServiceClass;
import java.util.Arrays;

/// Facts that are known about one SNAPT at one time, for the choice of a new flow.
///
/// @param name id and address of the SNAPT
/// @param state whether it carries packets
/// @param roundTripMs smoothed round trip; NaN before the first measurement
/// @param bitPerSecond rate of outer IP packets that its paths are known to carry from here;
///   infinite while they have never been full
/// @param sentBitPerSecond rate of each class from here in about the last second
/// @param ownBitPerSecond rate of all classes in both directions
/// @param prices surcharges of its owner
/// @param load its load as it announces it, 0 to 1; 0 if it is not known
public record SnaptFacts(
    String name,
    State state,
    double roundTripMs,
    double bitPerSecond,
    double[] sentBitPerSecond,
    double ownBitPerSecond,
    SnaptPrices prices,
    double load) {
  /// Ability of a SNAPT to carry packets, the best state first.
  public enum State {
    /// It answers.
    CARRYING,
    /// It answers, but is about to stop; new flows go elsewhere.
    LEAVING,
    /// Nothing arrives from it.
    SILENT,
    /// There is no session with it.
    NONE
  }

  /// Checks that there is a rate for each class.
  public SnaptFacts {
    if (sentBitPerSecond.length != ServiceClass.COUNT) {
      throw new IllegalArgumentException(
          "there must be a rate for each of %d classes, got %d"
              .formatted(ServiceClass.COUNT, sentBitPerSecond.length));
    }
    sentBitPerSecond = sentBitPerSecond.clone();
  }

  /// Returns the facts about a SNAPT without a session.
  public static SnaptFacts unknown(String name) {
    return new SnaptFacts(
        name,
        State.NONE,
        Double.NaN,
        Double.POSITIVE_INFINITY,
        new double[ServiceClass.COUNT],
        0,
        SnaptPrices.NONE,
        0);
  }

  /// Returns the rate that a class could have in addition, in bit/s: lower classes give way to it,
  /// because packets are sent by strict priority.
  public double spareBitPerSecond(ServiceClass of) {
    double taken = 0;
    for (int c = 0; c <= of.ordinal(); c++) {
      taken += sentBitPerSecond[c];
    }
    return Math.max(0, bitPerSecond - taken);
  }

  @Override
  public double[] sentBitPerSecond() {
    return sentBitPerSecond.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SnaptFacts that
        && name.equals(that.name)
        && state == that.state
        && Double.compare(roundTripMs, that.roundTripMs) == 0
        && Double.compare(bitPerSecond, that.bitPerSecond) == 0
        && Arrays.equals(sentBitPerSecond, that.sentBitPerSecond)
        && Double.compare(ownBitPerSecond, that.ownBitPerSecond) == 0
        && prices.equals(that.prices)
        && Double.compare(load, that.load) == 0;
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }

  @Override
  public String toString() {
    return "%s %s, round trip %.1f ms, own %.0f bit/s"
        .formatted(name, state, roundTripMs, ownBitPerSecond);
  }
}
