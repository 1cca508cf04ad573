package io.viaduct.tunnel.session;

import io.viaduct.tunnel.wire.ReplayWindow;
import org.jspecify.annotations.Nullable;

/// Remembers the path by which each datagram of type COPIED has arrived first, for the sequences of
/// the least replay window. A second copy is expected by another path only: the same bytes by the
/// same path are a replay. Of an older one, nothing is known, and none is expected. The memory, 8
/// KiB, is made for the first such datagram.
final class FirstArrivals {
  private static final int PER_WORD = 16;
  private static final long PATH = 0xF; // 4 bits, TunnelLimits.PATHS_MAX is 8
  private static final int UNKNOWN = 0xF;

  private static final int SEQUENCES = ReplayWindow.SEQUENCES_MIN;

  private long[] paths = {};
  private long newest;

  /// Notes the first arrival.
  ///
  /// @param by its path, null if the datagram came by none
  void note(long sequence, @Nullable SessionPath by) {
    if (paths.length == 0) {
      paths = new long[SEQUENCES / PER_WORD];
    }
    newest = Math.max(newest, sequence);
    int word = word(sequence);
    long path = by == null ? UNKNOWN : by.id;
    paths[word] = paths[word] & ~(PATH << shift(sequence)) | path << shift(sequence);
  }

  /// Returns whether a second copy may come by a path.
  ///
  /// @param sequence one that was noted, and is within the replay window
  boolean isExpected(long sequence, SessionPath by) {
    return newest - sequence < SEQUENCES
        && (paths[word(sequence)] >>> shift(sequence) & PATH) != by.id;
  }

  private static int word(long sequence) {
    return (int) (sequence / PER_WORD) & SEQUENCES / PER_WORD - 1;
  }

  private static int shift(long sequence) {
    return (int) (sequence % PER_WORD) * 4;
  }
}
