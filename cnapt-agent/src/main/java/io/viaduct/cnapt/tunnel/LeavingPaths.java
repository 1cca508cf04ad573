package io.viaduct.cnapt.tunnel;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/// The paths that packets leave by no more, and whose sockets still receive what is under way. The
/// other end learns of the change half a round trip later, and what it has sent until then takes
/// the other half; so a planned move loses nothing. Owner: the data path's event loop.
final class LeavingPaths implements AutoCloseable {
  /// Time after which nothing is under way any more; as long as the other end keeps what it may
  /// have to repeat (ADR 0040).
  static final long RECEIVES_NS = 500_000_000;

  private record Leaving(DevicePath path, long untilNs) {}

  private final Deque<Leaving> paths = new ArrayDeque<>(); // those that end first are first

  /// Keeps the socket of a path.
  void add(DevicePath path, long nowNs) {
    path.sink.release();
    paths.add(new Leaving(path, nowNs + RECEIVES_NS));
  }

  /// Returns the least id for a new path: not one of these, by which datagrams may still arrive. A
  /// path between the same ends is closed first, and so are the oldest ones while every id is
  /// taken.
  ///
  /// @param present the paths that packets leave by
  /// @param idsMax number of ids that the session may have
  int makeRoom(PathEnds ends, List<DevicePath> present, int idsMax) {
    paths.removeIf(each -> {
      boolean isSame = ends.areOf(each.path);
      if (isSame) {
        each.path.close();
      }
      return isSame;
    });
    int id = free(present);
    while (id >= idsMax && !paths.isEmpty()) {
      paths.remove().path.close();
      id = free(present);
    }
    return id;
  }

  private int free(List<DevicePath> present) {
    int id = 0;
    while (isTaken(id, present)) {
      id++;
    }
    return id;
  }

  private boolean isTaken(int id, List<DevicePath> present) {
    return present.stream().anyMatch(each -> each.id == id)
        || paths.stream().anyMatch(each -> each.path.id == id);
  }

  /// Closes those whose time is over.
  void tick(long nowNs) {
    while (!paths.isEmpty() && nowNs - paths.element().untilNs >= 0) {
      paths.remove().path.close();
    }
  }

  /// Returns the time of the next [#tick], Long.MAX_VALUE without a path.
  long nextTickNs() {
    return paths.isEmpty() ? Long.MAX_VALUE : paths.element().untilNs;
  }

  @Override
  public void close() {
    paths.forEach(each -> each.path.close());
    paths.clear();
  }
}
