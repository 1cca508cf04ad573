package io.viaduct.bridge.core;

import io.viaduct.bridge.replication.FlowText;
import io.viaduct.usage.v1.ReplicaDialog;

/// Writes and reads the way of a dialog as bridges tell it to each other.
public final class DialogText {
  private DialogText() {}

  /// Returns a dialog with its way, to be completed.
  ///
  /// @param self name of this bridge
  public static ReplicaDialog.Builder write(DialogPath path, String self) {
    return ReplicaDialog.newBuilder()
        .setFlow(FlowText.write(path.flow(), self))
        .addAllRoutes(path.routes())
        .setContact(path.contact());
  }

  /// @param self name of this bridge
  /// @throws IllegalArgumentException if it has no flow
  public static DialogPath path(ReplicaDialog text, String self) {
    return new DialogPath(
        FlowText.read(text.getFlow(), self), text.getRoutesList(), text.getContact());
  }
}
