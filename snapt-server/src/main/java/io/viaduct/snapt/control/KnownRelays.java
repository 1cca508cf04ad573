package io.viaduct.snapt.control;

import com.google.protobuf.ByteString;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.tunnel.control.v1.RelayList;
import io.viaduct.usage.v1.DirectoryEntry;
import io.viaduct.usage.v1.SnaptState;
import java.util.List;
import java.util.Optional;

/// The SNAPTs that this one tells its devices about: those of the bridge's directory, or of the
/// configuration until the bridge has told any, and itself. What it tells about itself is its own
/// state, which the directory has only later. Owner: the control thread.
final class KnownRelays {
  /// Longest list that a device takes.
  static final int RELAYS_MAX = 128;

  /// Most bytes of a list, so that a Welcome never exceeds its frame of 64 KiB.
  static final int BYTES_MAX = 48 << 10;

  private static final int HEAD_BYTES = 4; // of an entry: its tag and its length

  private final List<Relay> configured;
  private List<Relay> told = List.of();
  private ByteString signed = ByteString.EMPTY; // the same, by the bridge
  private Relay own;
  private volatile int leftOut; // written by the control thread

  /// @param configured the SNAPTs of the configuration
  /// @param own id, host, ports and region of this SNAPT
  KnownRelays(List<Relay> configured, Relay own) {
    this.configured = List.copyOf(configured);
    this.own = own;
  }

  /// Sets this SNAPT's own entry. @return whether it has changed
  boolean own(Relay now) {
    boolean changed = !now.equals(own);
    own = now;
    return changed;
  }

  Relay own() {
    return own;
  }

  /// Takes the bridge's directory.
  ///
  /// @param directory not empty
  /// @param bySignature the same as the bridge has signed it; empty if it has not
  /// @return whether it has changed, apart from the signature
  boolean told(List<DirectoryEntry> directory, ByteString bySignature) {
    List<Relay> now = directory.stream().map(KnownRelays::relay).toList();
    signed = bySignature;
    boolean changed = !now.equals(told);
    told = now;
    return changed;
  }

  private static Relay relay(DirectoryEntry entry) {
    return Relay.newBuilder()
        .setSnaptId(entry.getSnaptId())
        .setHost(entry.getHost())
        .setControlPort(entry.getControlPort())
        .setDataPort(entry.getDataPort())
        .setRegion(entry.getRegion())
        .setState(
            entry.getState() == SnaptState.DRAINING ? Relay.State.DRAINING : Relay.State.SERVING)
        .setDrainDeadlineMs(entry.getDrainDeadlineMs())
        .setLoadPercent(entry.getLoadPercent())
        .addAllSurcharges(entry.getSurchargesList())
        .build();
  }

  // Region and price are billing's: the directory has them of this SNAPT too.
  private Relay shownOwn() {
    return told.stream()
        .filter(each -> each.getSnaptId().equals(own.getSnaptId()))
        .findFirst()
        .map(each ->
            own.toBuilder()
                .setRegion(each.getRegion())
                .addAllSurcharges(each.getSurchargesList())
                .build())
        .orElse(own);
  }

  /// Returns how many SNAPTs the last list had no place for; any thread may call this.
  int leftOut() {
    return leftOut;
  }

  /// Returns the list for devices: this SNAPT first, then the others in their order.
  RelayList list() {
    List<Relay> others = told.isEmpty() ? configured : told;
    List<Relay> beside =
        others.stream().filter(each -> !each.getSnaptId().equals(own.getSnaptId())).toList();
    Relay shownOwn = shownOwn();
    List<Relay> shown = beside.subList(0, fitting(shownOwn, beside));
    leftOut = beside.size() - shown.size();
    return RelayList.newBuilder()
        .addRelays(shownOwn)
        .addAllRelays(shown)
        .setComplete(!others.isEmpty())
        .build();
  }

  private static int fitting(Relay first, List<Relay> others) {
    int bytes = first.getSerializedSize() + HEAD_BYTES;
    int count = 0;
    for (Relay each : others) {
      bytes += each.getSerializedSize() + HEAD_BYTES;
      if (bytes > BYTES_MAX || count == RELAYS_MAX - 1) {
        break;
      }
      count++;
    }
    return count;
  }

  /// Returns what a device is told that believes only the bridge about other SNAPTs: this SNAPT
  /// alone, and the signed directory; without one, the list for all devices.
  RelayList signedList() {
    return signed.isEmpty()
        ? list()
        : RelayList.newBuilder().addRelays(own).setSignedDirectory(signed).build();
  }

  /// Returns the signed directory for a Welcome, empty if there is none.
  ByteString signed() {
    return signed;
  }

  /// Returns another SNAPT by its id, also one that the list for devices has no place for.
  Optional<Relay> find(String snaptId) {
    return (told.isEmpty() ? configured : told)
        .stream().filter(each -> each.getSnaptId().equals(snaptId)).findFirst();
  }

  /// Returns the list for a Welcome: empty if only this SNAPT itself is known.
  List<Relay> welcome() {
    RelayList list = list();
    return list.getComplete() ? list.getRelaysList() : List.of();
  }
}
