package io.viaduct.cnapt.policy;

/// The direction of a path from the SNAPT to the device, as the SNAPT ranks it.
///
/// @param spareBitPerSecond rate that it could carry in addition; [PathStatus#UNKNOWN_RATE] while
///   it was never full, and until the SNAPT tells it
/// @param bad whether it loses 5 % and more
public record TowardsHere(long spareBitPerSecond, boolean bad) {
  /// A direction that was never full.
  public static final TowardsHere NEVER_FULL = new TowardsHere(PathStatus.UNKNOWN_RATE, false);
}
