package io.viaduct.tunnel.session;

import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Holds the paths of a session, and knows those that packets may leave by.
///
/// Path 0 exists from the beginning. A further path is made when it is first needed, and then stays
/// until the session ends: a session has few paths, and a path that comes back keeps its memory.
final class SessionPaths {
  private final @Nullable SessionPath[] byId;
  private final IntFunction<SessionPath> factory;
  private final SessionPath first;
  private SessionPath[] open;
  private SessionPath[] usable;
  private SessionPath[] spare = {};
  private int changes;

  /// @param most number of paths that the handshake allows
  /// @param factory makes the path with an id
  SessionPaths(int most, IntFunction<SessionPath> factory) {
    byId = new SessionPath[most];
    this.factory = factory;
    first = factory.apply(0);
    first.use = PathUse.YES;
    byId[0] = first;
    open = new SessionPath[] {first};
    usable = open;
  }

  /// Returns the number of paths that the handshake allows.
  int most() {
    return byId.length;
  }

  /// Returns whether the handshake allows more than one path.
  boolean areMany() {
    return byId.length > 1;
  }

  boolean isAllowed(int id) {
    return id >= 0 && id < byId.length;
  }

  /// Returns the path with this id, null if it was never open.
  @Nullable SessionPath find(int id) {
    return isAllowed(id) ? byId[id] : null;
  }

  /// Returns the path with this id, which the handshake must allow.
  SessionPath open(int id) {
    SessionPath path = byId[id];
    if (path == null) {
      path = factory.apply(id);
      byId[id] = path;
      SessionPath[] more = new SessionPath[open.length + 1];
      System.arraycopy(open, 0, more, 0, open.length);
      more[open.length] = path;
      open = more;
    }
    return path;
  }

  /// Returns all paths that were ever open. The caller does not change the array.
  SessionPath[] open() {
    return open;
  }

  SessionPath first() {
    return first;
  }

  /// Returns the paths that packets may leave by, at least one. The caller does not change the
  /// array.
  SessionPath[] usable() {
    return usable;
  }

  /// Returns the paths that only copies may leave by, because they are spare and others are usable.
  /// The caller does not change the array.
  SessionPath[] spare() {
    return spare;
  }

  /// Returns whether more than one path leads to the peer, spare ones included.
  boolean areSeveralInUse() {
    return usable.length + spare.length > 1;
  }

  /// Returns whether packets may leave by the path.
  boolean isUsable(SessionPath path) {
    for (SessionPath each : usable) {
      if (each == path) {
        return true;
      }
    }
    return false;
  }

  /// Returns whether the path carries packets, at least those of flows whose rule has chosen it.
  boolean isInUse(int id) {
    SessionPath path = find(id);
    return path != null
        && path.use != PathUse.NO
        && (isUsable(path) || Arrays.asList(spare).contains(path));
  }

  /// Returns how often the use of a path has changed, or the paths that packets may leave by.
  int changes() {
    return changes;
  }

  /// Sets the use of a path.
  void use(SessionPath path, PathUse use) {
    changes += path.use == use ? 0 : 1;
    path.use = use;
  }

  /// Finds out which paths packets may leave by: those of use YES; without one those of use SPARE;
  /// without one the first path of use YES, or else SPARE, or else path 0, where packets wait.
  ///
  /// @param carries tells whether a path has a peer to send to
  /// @return true if the set has changed
  boolean choose(Predicate<SessionPath> carries) {
    SessionPath[] before = usable;
    SessionPath[] spareBefore = spare;
    usable = having(PathUse.YES, carries);
    spare = having(PathUse.SPARE, carries);
    if (usable.length == 0) {
      usable = spare;
      spare = new SessionPath[0];
    }
    if (usable.length == 0) {
      usable = new SessionPath[] {whereToWait()};
    }
    boolean changed = !Arrays.equals(before, usable);
    changes += changed || !Arrays.equals(spareBefore, spare) ? 1 : 0;
    return changed;
  }

  // A path that is in use comes back, or moves to another address. One that the device has left
  // leads nowhere.
  private SessionPath whereToWait() {
    for (PathUse use : new PathUse[] {PathUse.YES, PathUse.SPARE}) {
      for (SessionPath each : open) {
        if (each.use == use) {
          return each;
        }
      }
    }
    return first;
  }

  private SessionPath[] having(PathUse use, Predicate<SessionPath> carries) {
    return Arrays.stream(open)
        .filter(path -> path.use == use && carries.test(path))
        .toArray(SessionPath[]::new);
  }
}
