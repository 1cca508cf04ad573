package io.viaduct.bridge.token;

import com.google.protobuf.ByteString;
import io.viaduct.bridge.core.DialogText;
import io.viaduct.bridge.directory.Relay;
import io.viaduct.bridge.registrar.CreditState;
import io.viaduct.usage.v1.ReplicaDialog;
import io.viaduct.usage.v1.ReplicaSession;
import java.time.Instant;
import java.util.List;

/// Writes and reads subscriptions as bridges tell them to each other.
final class SessionText {
  private SessionText() {}

  /// @param self name of this bridge
  static ReplicaSession write(Subscription s, String self) {
    return ReplicaSession.newBuilder()
        .setDialog(
            DialogText.write(s.path(), self)
                .setUser(s.user())
                .setCallId(s.key().callId())
                .setLocalTag(s.key().localTag())
                .setRemoteTag(s.key().remoteTag())
                .setEvent(s.event().text())
                .setRemote(s.remote())
                .setLocal(s.local())
                .setTarget(s.target())
                .setCseq(s.cseq())
                .setRemoteCseq(s.remoteCseq())
                .setExpiresMs(s.expires().toEpochMilli()))
        .setDeviceKey(ByteString.copyFrom(s.deviceKey()))
        .setSid(s.sid())
        .setIcid(s.icid())
        .setRenewAtMs(s.renewAt().toEpochMilli())
        .build();
  }

  /// @param self name of this bridge
  /// @param relays SNAPTs that the other bridge has told: it tells what this one knows too
  /// @param credit state of the credit that it has told
  /// @throws IllegalArgumentException if it is no subscription
  static Subscription read(
      ReplicaSession text, String self, List<Relay> relays, CreditState credit) {
    ReplicaDialog dialog = text.getDialog();
    return new Subscription(
        new Subscription.Key(dialog.getCallId(), dialog.getLocalTag(), dialog.getRemoteTag()),
        dialog.getUser(),
        SessionEvent.parse(dialog.getEvent())
            .orElseThrow(() -> new IllegalArgumentException("no session event")),
        dialog.getRemote(),
        dialog.getLocal(),
        dialog.getTarget(),
        DialogText.path(dialog, self),
        text.getDeviceKey().toByteArray(),
        text.getSid(),
        text.getIcid(),
        dialog.getCseq(),
        dialog.getRemoteCseq(),
        Instant.ofEpochMilli(dialog.getExpiresMs()),
        Instant.ofEpochMilli(text.getRenewAtMs()),
        relays,
        credit);
  }
}
