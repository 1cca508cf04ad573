package io.viaduct.bridge.token;

import com.google.protobuf.ByteString;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.subscription.EventHeader;
import io.viaduct.bridge.subscription.SubscriptionDialog;
import io.viaduct.bridge.subscription.SubscriptionTable;
import io.viaduct.usage.v1.ReplicaEntry;
import io.viaduct.usage.v1.ReplicaSession;
import java.time.Instant;
import java.util.Optional;

/// Writes and reads subscriptions as bridges tell them to each other. SNAPTs and credit are not
/// written: the other bridge has told what this one knows too.
record SessionText(SnaptDirectory directory, Subscribers subscribers)
    implements SubscriptionTable.Text<DeviceSubscription> {
  @Override
  public void write(DeviceSubscription s, String self, ReplicaEntry.Builder entry) {
    entry.setSession(
        ReplicaSession.newBuilder()
            .setDialog(s.dialog().write(self))
            .setDeviceKey(ByteString.copyFrom(s.deviceKey()))
            .setSid(s.sid())
            .setIcid(s.icid())
            .setRenewAtMs(s.renewAt().toEpochMilli()));
  }

  @Override
  public Optional<DeviceSubscription> read(ReplicaEntry entry, String self) {
    ReplicaSession text = entry.getSession();
    SubscriptionDialog dialog = SubscriptionDialog.read(text.getDialog(), self);
    if (EventHeader.parse(dialog.event(), SessionNotifier.EVENT).isEmpty()) {
      throw new IllegalArgumentException("no session event");
    }
    return Optional.of(
        new DeviceSubscription(
            dialog,
            text.getDeviceKey().toByteArray(),
            text.getSid(),
            text.getIcid(),
            Instant.ofEpochMilli(text.getRenewAtMs()),
            directory.relays(),
            subscribers.credit(dialog.user())));
  }
}
