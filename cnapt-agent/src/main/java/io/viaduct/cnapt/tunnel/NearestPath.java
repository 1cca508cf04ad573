package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.PathUse;
import org.jspecify.annotations.Nullable;

/// The path of packets that count delay. Tells the listener when they take another one, and why.
/// Owner: the data path's event loop.
final class NearestPath {
  private static final String QUALITY = "quality";

  private final DataPathListener listener;
  private int id = FlowState.NO_PATH;
  private String name = ""; // empty before the first path of a session

  NearestPath(DataPathListener listener) {
    this.listener = listener;
  }

  /// Returns the id of the path, [FlowState#NO_PATH] before the first one.
  int id() {
    return id;
  }

  /// Notes the path by which these packets leave now.
  ///
  /// @param toName name of the path in messages
  /// @param from the path with [#id]; null if its link is gone
  void note(DevicePath to, String toName, @Nullable DevicePath from) {
    if (to.id == id && toName.equals(name)) {
      return;
    }
    String before = name;
    id = to.id;
    name = toName;
    if (!before.isEmpty()) {
      String cause = causeOfMove(from);
      listener.trafficMoved(cause, before, toName, !cause.equals(QUALITY));
    }
  }

  private static String causeOfMove(@Nullable DevicePath from) {
    if (from == null) {
      return "link";
    } else if (from.use == PathUse.YES) {
      return QUALITY;
    } else if (!from.isAlive()) {
      return "silence";
    }
    return from.isWeak() ? "signal" : "spare";
  }

  /// Notes that a path leads from or to another address.
  ///
  /// @param cause `address` or `family`
  void readdressed(DevicePath path, String pathName, String cause) {
    if (path.id == id) {
      listener.trafficMoved(cause, pathName, pathName, true);
    }
  }

  /// Forgets the path, because the session has ended.
  void end() {
    name = "";
  }
}
