package io.viaduct.cnapt.snapts;

/// Facts that are known about one SNAPT at one time, for the choice of a new flow.
///
/// @param name id and address of the SNAPT
/// @param state whether it carries packets
/// @param roundTripMs smoothed round trip; NaN before the first measurement
/// @param up load of the line from here
/// @param down load of the line towards here, whose rate the SNAPT tells
/// @param ownBitPerSecond rate of all classes in both directions
/// @param prices surcharges of its owner
/// @param load its load as it announces it, 0 to 1; 0 if it is not known
public record SnaptFacts(
    String name,
    State state,
    double roundTripMs,
    LineLoad up,
    LineLoad down,
    double ownBitPerSecond,
    SnaptPrices prices,
    double load) {
  /// Ability of a SNAPT to carry packets, the best state first.
  public enum State {
    /// It answers.
    CARRYING,
    /// It answers, but is about to stop or to be exchanged for a nearer one; new flows go
    /// elsewhere.
    LEAVING,
    /// Its session has begun, and its first answer is awaited.
    BEGINNING,
    /// Nothing arrives from it.
    SILENT,
    /// There is no session with it.
    NONE
  }

  /// Returns the facts about a SNAPT without a session.
  public static SnaptFacts unknown(String name) {
    return new SnaptFacts(
        name, State.NONE, Double.NaN, LineLoad.UNKNOWN, LineLoad.UNKNOWN, 0, SnaptPrices.NONE, 0);
  }

  /// Returns these facts with the traffic to another SNAPT, which takes the same link of this host.
  public SnaptFacts beside(SnaptFacts other) {
    return new SnaptFacts(
        name,
        state,
        roundTripMs,
        up.and(other.up),
        down.and(other.down),
        ownBitPerSecond,
        prices,
        load);
  }

  @Override
  public String toString() {
    return "%s %s, round trip %.1f ms, own %.0f bit/s"
        .formatted(name, state, roundTripMs, ownBitPerSecond);
  }
}
