package io.viaduct.cnapt.control;

import org.jspecify.annotations.Nullable;

/// A session that is left for another SNAPT. It has its control connection until the other SNAPT
/// has sent its Welcome.
///
/// @param from has the session until then
/// @param why sent with the Goodbye
/// @param only the only SNAPT that may take its place; null for any
/// @param handOver number of the hand-over for which the session is left; 0 for none
/// @param isDecided whether there is no way back after the Welcome
record Departure(
    ControlDialog from, String why, @Nullable Snapt only, long handOver, boolean isDecided) {
  static final String HANDED_OVER = "the session has been handed over";
  private static final String NOT_HANDED_OVER =
      "its hand-over has failed, and it has no flow of this device any more";

  /// Returns a departure that the device wants itself.
  static Departure wanted(ControlDialog from, String why, @Nullable Snapt only) {
    return new Departure(from, why, only, 0, true);
  }

  /// Returns a departure to a SNAPT that takes the session over.
  ///
  /// @param isDone whether it has it already
  static Departure handedOver(ControlDialog from, long number, boolean isDone) {
    return new Departure(from, HANDED_OVER, null, number, isDone);
  }

  /// Returns whether a Welcome lets the device leave. With the number of another hand-over, the
  /// other SNAPT has not taken the session over, and flows would break.
  boolean isArrival(Welcomed by, boolean mayLeave) {
    return handOver == 0 ? mayLeave : by.welcome().getMovedNumber() == handOver;
  }

  /// Ends the session at its SNAPT.
  void leave() {
    from.leave(why, () -> {});
  }

  /// Returns the reason of the next attempt, if this one has failed.
  String whyAgain() {
    return handOver == 0 ? why : NOT_HANDED_OVER;
  }
}
