package io.viaduct.cnapt.tunnel;

/// Counts of the paths of an end, over all its sessions.
///
/// @param droppedBursts bursts that were dropped because no network became available in time
/// @param refusals times that the kernel had no route to the other end
/// @param silences times that the other end has become silent while a path was alive
record PathTotals(long droppedBursts, long refusals, long silences) {
  static final PathTotals NONE = new PathTotals(0, 0, 0);

  /// Returns the sum of these and the counts of paths.
  PathTotals with(PathsView paths) {
    return new PathTotals(
        droppedBursts + paths.droppedBursts(),
        refusals + paths.refusals(),
        silences + paths.silences());
  }
}
