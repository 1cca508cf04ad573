package io.viaduct.cnapt.tunnel;

import java.util.List;
import java.util.stream.Stream;

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

  /// The counts of the paths of all sessions of an end, which never become less. Written by the
  /// data path's event loop; any thread may call [#now].
  static final class Sum {
    private record State(PathTotals closed, List<PathsView> open) {}

    private volatile State state = new State(NONE, List.of());

    void opened(PathsView paths) {
      List<PathsView> open = Stream.concat(state.open.stream(), Stream.of(paths)).toList();
      state = new State(state.closed, open);
    }

    void closed(PathsView paths) {
      State now = state;
      if (now.open.contains(paths)) {
        List<PathsView> left = now.open.stream().filter(each -> each != paths).toList();
        state = new State(now.closed.with(paths), left);
      }
    }

    PathTotals now() {
      State now = state;
      PathTotals sum = now.closed;
      for (PathsView each : now.open) {
        sum = sum.with(each);
      }
      return sum;
    }
  }
}
