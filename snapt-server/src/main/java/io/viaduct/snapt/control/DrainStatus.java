package io.viaduct.snapt.control;

/// State of a drain. A SNAPT that drains serves its sessions and refuses new ones, and its devices
/// go elsewhere.
///
/// @param draining false: it serves
/// @param deadlineMs Unix time at which the sessions end that are left; 0 for never
public record DrainStatus(boolean draining, long deadlineMs) {
  /// The status of a SNAPT that serves.
  public static final DrainStatus SERVING = new DrainStatus(false, 0);

  /// Returns whether the sessions that are left must end.
  boolean isOver(long nowMs) {
    return draining && deadlineMs > 0 && nowMs >= deadlineMs;
  }
}
