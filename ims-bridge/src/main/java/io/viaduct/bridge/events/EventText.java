package io.viaduct.bridge.events;

import io.viaduct.bridge.core.DialogText;
import io.viaduct.usage.v1.ReplicaDialog;
import io.viaduct.usage.v1.ReplicaEvent;
import java.time.Instant;

/// Writes and reads subscriptions as bridges tell them to each other.
final class EventText {
  private EventText() {}

  /// @param self name of this bridge
  static ReplicaEvent write(EventDialog d, String self) {
    return ReplicaEvent.newBuilder()
        .setDialog(
            DialogText.write(d.path(), self)
                .setUser(d.user())
                .setCallId(d.key().callId())
                .setLocalTag(d.key().localTag())
                .setRemoteTag(d.key().remoteTag())
                .setEvent(d.event())
                .setRemote(d.remote())
                .setLocal(d.local())
                .setTarget(d.target())
                .setCseq(d.cseq())
                .setRemoteCseq(d.remoteCseq())
                .setExpiresMs(d.expires().toEpochMilli()))
        .build();
  }

  /// Reads a subscription. What its last NOTIFY has told is not known here.
  ///
  /// @param events package of the dialog
  /// @param self name of this bridge
  /// @throws IllegalArgumentException if it is no subscription
  static EventDialog read(ReplicaEvent text, EventPackage<?> events, String self) {
    ReplicaDialog dialog = text.getDialog();
    return new EventDialog(
        new EventDialog.Key(dialog.getCallId(), dialog.getLocalTag(), dialog.getRemoteTag()),
        dialog.getUser(),
        events,
        dialog.getEvent(),
        dialog.getRemote(),
        dialog.getLocal(),
        dialog.getTarget(),
        DialogText.path(dialog, self),
        dialog.getCseq(),
        dialog.getRemoteCseq(),
        Instant.ofEpochMilli(dialog.getExpiresMs()),
        null,
        null);
  }
}
