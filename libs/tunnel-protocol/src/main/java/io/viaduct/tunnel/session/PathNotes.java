package io.viaduct.tunnel.session;

import org.jspecify.annotations.Nullable;

/// The unused path messages of one event loop, so that the answer to a probe allocates nothing.
final class PathNotes {
  private static final int UNUSED_MAX = 1024;

  private @Nullable PathNote first;
  private int unused;

  PathNote take() {
    PathNote taken = first;
    if (taken == null) {
      return new PathNote();
    }
    first = taken.next;
    taken.next = null;
    unused--;
    return taken;
  }

  void giveBack(PathNote note) {
    note.to = null;
    if (unused < UNUSED_MAX) {
      note.next = first;
      first = note;
      unused++;
    }
  }
}
