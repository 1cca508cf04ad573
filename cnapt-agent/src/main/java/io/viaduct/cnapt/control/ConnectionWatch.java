package io.viaduct.cnapt.control;

import io.viaduct.cnapt.links.Remote;
import io.viaduct.cnapt.links.UsableLink;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Decides after each change of the network whether the control connection stays, or is made anew.
/// It stays while its own link does, and waits for its link while there is none. Owner: the control
/// loop.
final class ConnectionWatch {
  private final Candidates candidates;
  private final Departures departures;
  private final BackOff backOff;
  private final Supplier<@Nullable ControlDialog> dialog;
  private final Runnable connect;
  private boolean away; // no link can be used

  /// @param dialog returns the dialog that has the session or is to get one, null between two
  ///   attempts
  /// @param connect connects now, unless an attempt is under way
  ConnectionWatch(
      Candidates candidates,
      Departures departures,
      BackOff backOff,
      Supplier<@Nullable ControlDialog> dialog,
      Runnable connect) {
    this.candidates = candidates;
    this.departures = departures;
    this.backOff = backOff;
    this.dialog = dialog;
    this.connect = connect;
  }

  /// Makes the connection anew, because the device is on another network.
  void networkChanged() {
    candidates.networkChanged();
    again("the network has changed");
  }

  /// Takes a change of the links that can be used.
  ///
  /// @param now all usable links
  void linksChanged(List<UsableLink> now) {
    boolean returned = away && !now.isEmpty();
    away = now.isEmpty();
    if (away) {
      return;
    }
    ControlDialog other = dialog.get();
    if (other != null && !other.isHeldBy(now)) {
      departures.stay(false);
    }
    ControlDialog open = holder();
    if (open == null || !open.isHeldBy(now)) {
      candidates.networkChanged();
      again("its link is gone");
    } else if (returned) {
      open.check();
    }
  }

  /// Makes the connection anew if nothing arrives by its way, although its link is up.
  ///
  /// @param link name of the link
  /// @param remote the place that nothing arrives from
  void pathSilent(String link, Remote remote) {
    ControlDialog open = holder();
    if (open != null && open.isBy(link, remote)) {
      again("nothing arrives by its way");
    }
  }

  /// Makes the connection anew, because datagrams are lost although the link is up.
  void pathDead() {
    again("the path is dead");
  }

  /// Returns the dialog that has the session, null if there is none.
  @Nullable ControlDialog holder() {
    ControlDialog leaving = departures.from();
    return leaving == null ? dialog.get() : leaving;
  }

  private void again(String why) {
    departures.stay(false);
    backOff.succeeded();
    ControlDialog open = dialog.get();
    if (open == null) {
      connect.run();
    } else {
      open.close(ControlFailure.NETWORK_CHANGED, why);
    }
  }
}
