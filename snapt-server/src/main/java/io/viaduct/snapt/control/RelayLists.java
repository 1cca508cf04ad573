package io.viaduct.snapt.control;

import com.google.protobuf.ByteString;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.tunnel.control.v1.RelayList;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.usage.v1.DirectoryEntry;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// Tells the devices which SNAPTs there are, when that changes. Owner: the control thread.
public final class RelayLists {
  // Changes of the directory are merged for this long; a change of this SNAPT's own state is not.
  private static final long MERGED_MS = 1_000;

  private final ControlThread thread;
  private final SessionRegistry registry;
  private final DeviceConnections devices;
  private final KnownRelays relays;
  private boolean isChanged;
  private long sentMs;

  RelayLists(
      ControlServer.Settings settings,
      ControlThread thread,
      SessionRegistry registry,
      DeviceConnections devices) {
    this.thread = thread;
    this.registry = registry;
    this.devices = devices;
    this.relays =
        new KnownRelays(
            settings.relays(),
            Relay.newBuilder()
                .setSnaptId(settings.snaptId())
                .setHost(settings.host())
                .setDataPort(settings.dataPort())
                .setRegion(settings.region())
                .setState(Relay.State.SERVING)
                .build());
  }

  /// Takes the bridge's directory, to tell it to the devices. Any thread may call this.
  ///
  /// @param signed the same as the bridge has signed it, encoded; empty from an older bridge
  public void told(List<DirectoryEntry> directory, ByteString signed) {
    if (directory.isEmpty()) {
      return; // a bridge of the version before
    }
    thread.run(() -> isChanged |= relays.told(directory, signed));
  }

  /// Sets the port at which this SNAPT accepts control connections.
  void controlPort(int port) {
    relays.own(relays.own().toBuilder().setControlPort(port).build());
  }

  /// Looks at the state of this SNAPT, and tells changes that are due.
  void onTick(DrainStatus now, long nowMs) {
    own(now);
    if (isChanged && nowMs - sentMs >= MERGED_MS) {
      send(nowMs);
    }
  }

  /// Tells the devices at once that this SNAPT drains, or serves again.
  void onDrain(DrainStatus now, long nowMs) {
    own(now);
    if (isChanged) {
      send(nowMs);
    }
  }

  private void own(DrainStatus now) {
    isChanged |=
        relays.own(
            relays.own().toBuilder()
                .setState(now.draining() ? Relay.State.DRAINING : Relay.State.SERVING)
                .setDrainDeadlineMs(now.deadlineMs())
                .setLoadPercent(registry.loadPercent())
                .build());
  }

  private void send(long nowMs) {
    isChanged = false;
    sentMs = nowMs;
    RelayList list = relays.list();
    RelayList signed = relays.signedList();
    devices.connected().forEach(each -> each.tell(list, signed));
  }

  /// Tells a device that was welcomed.
  void tell(ControlConnection connection) {
    connection.tell(relays.list(), relays.signedList());
  }

  /// Adds to a Welcome what the device believes about other SNAPTs.
  void fill(Welcome.Builder welcome, Collection<Feature> ofDevice) {
    if (ofDevice.contains(Feature.SIGNED_DIRECTORIES) && !relays.signed().isEmpty()) {
      welcome.setSignedDirectory(relays.signed());
    } else {
      welcome.addAllRelays(relays.welcome());
    }
  }

  /// Returns how many SNAPTs of the directory the devices are not told, because their list is full;
  /// any thread may call this.
  public int leftOut() {
    return relays.leftOut();
  }

  /// Returns another SNAPT as the bridge has told it; on the control thread.
  public Optional<Relay> known(String snaptId) {
    return relays.find(snaptId);
  }

  /// Returns another SNAPT as the bridge has told it, if it takes new sessions; on the control
  /// thread.
  public Optional<Relay> serving(String snaptId) {
    return known(snaptId).filter(each -> each.getState() != Relay.State.DRAINING);
  }
}
