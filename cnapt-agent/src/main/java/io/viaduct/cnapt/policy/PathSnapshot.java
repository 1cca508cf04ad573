package io.viaduct.cnapt.policy;

/// The measured properties of one path at one time.
///
/// @param id number of the path in its session
/// @param link name of the interface by which it leaves
/// @param delayNs smoothed delay with what counts for its loss, of the same kind for all paths of a
///   session. [#UNKNOWN_DELAY] before the first measurement
/// @param spareBitPerSecond rate that the path could carry in addition to its present traffic
/// @param cost price of one gigabyte, in the unit of the configuration
public record PathSnapshot(
    int id, String link, PathState state, long delayNs, long spareBitPerSecond, double cost) {
  /// The delay of a path that has not been measured yet: higher than every measured one.
  public static final long UNKNOWN_DELAY = Long.MAX_VALUE;

  /// Returns false for a dead path.
  public boolean isAlive() {
    return state != PathState.DEAD;
  }
}
