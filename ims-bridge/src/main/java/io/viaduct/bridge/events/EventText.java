package io.viaduct.bridge.events;

import io.viaduct.bridge.subscription.EventHeader;
import io.viaduct.bridge.subscription.SubscriptionDialog;
import io.viaduct.bridge.subscription.SubscriptionTable;
import io.viaduct.usage.v1.ReplicaEntry;
import io.viaduct.usage.v1.ReplicaEvent;
import java.util.Map;
import java.util.Optional;

/// Writes and reads subscriptions as bridges tell them to each other. What the last NOTIFY of
/// another bridge has told is not known here.
///
/// @param packages by name
record EventText(Map<String, EventPackage<?>> packages)
    implements SubscriptionTable.Text<AccountSubscription> {
  @Override
  public void write(AccountSubscription s, String self, ReplicaEntry.Builder entry) {
    entry.setEvent(ReplicaEvent.newBuilder().setDialog(s.dialog().write(self)));
  }

  @Override
  public Optional<AccountSubscription> read(ReplicaEntry entry, String self) {
    SubscriptionDialog dialog = SubscriptionDialog.read(entry.getEvent().getDialog(), self);
    return Optional.ofNullable(packages.get(EventHeader.name(dialog.event())))
        .map(events -> AccountSubscription.open(dialog, events));
  }
}
