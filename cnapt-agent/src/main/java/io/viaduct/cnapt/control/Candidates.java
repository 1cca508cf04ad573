package io.viaduct.cnapt.control;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The SNAPTs that may be asked, in order: the operator's bootstrap first, then the list.
///
/// The one that welcomed us last is *home*. It gives this device the same pool address also after a
/// restart, so connections survive that, and none survives a move to another one: home is asked
/// again for as long as patience lasts, a stranger for a few attempts. Owner: the control loop.
final class Candidates {
  /// Attempts in a row at a SNAPT that is not home before the next one is tried.
  static final int ATTEMPTS_MAX = 3;

  private static final int SNAPTS_MAX = 64;

  private final @Nullable Snapt bootstrap;
  private final long patienceNs;
  private List<Snapt> snapts = List.of();
  private @Nullable Snapt home;
  private int place;
  private int attempts;
  private long failingSinceNs;

  /// @param patienceNs how long home is asked again and again
  Candidates(SnaptSettings settings, long patienceNs) {
    this.patienceNs = patienceNs;
    bootstrap =
        settings.host().isEmpty()
            ? null
            : new Snapt(settings.id(), settings.host(), settings.port());
    replace(List.of());
  }

  /// Takes another list. The one that is current stays so if it is still there, or if it is home:
  /// who makes the list may have missed it for a moment only.
  void replace(List<Snapt> listed) {
    Snapt current = current();
    List<Snapt> next = new ArrayList<>();
    if (bootstrap != null) {
      next.add(bootstrap);
    }
    for (Snapt each : listed) {
      boolean known =
          next.stream()
              .anyMatch(s -> s.host().equals(each.host()) && s.controlPort() == each.controlPort());
      if (!known && next.size() < SNAPTS_MAX) {
        next.add(each);
      }
    }
    if (current != null && current.equals(home) && !next.contains(current)) {
      next.add(current);
    }
    snapts = List.copyOf(next);
    int found = current == null ? -1 : snapts.indexOf(current);
    if (found >= 0) {
      place = found;
    } else {
      begin(0);
    }
  }

  private void begin(int at) {
    place = at;
    attempts = 0;
  }

  /// Whom to ask; null while nobody is known.
  @Nullable Snapt current() {
    return snapts.isEmpty() ? null : snapts.get(place % snapts.size());
  }

  /// An attempt at the current one has failed.
  ///
  /// @param hopeless whether the same one need not be asked again
  void failed(boolean hopeless, long nowNs) {
    if (attempts++ == 0) {
      failingSinceNs = nowNs;
    }
    if (hopeless || !(isHome() ? isPatient(nowNs) : attempts < ATTEMPTS_MAX)) {
      moveOn();
    }
  }

  private void moveOn() {
    if (snapts.size() > 1) {
      begin((place + 1) % snapts.size());
    }
  }

  /// Whether the next attempt is one of those that wait for home to come back.
  boolean isPatient(long nowNs) {
    return isHome() && (attempts == 0 || nowNs - failingSinceNs < patienceNs);
  }

  private boolean isHome() {
    Snapt current = current();
    return current != null && current.equals(home);
  }

  /// The current one has welcomed us.
  void succeeded() {
    home = current();
    attempts = 0;
  }

  /// The device is on another network: failures on the old one say nothing about a SNAPT, and home
  /// is asked first, with all patience.
  void networkChanged() {
    int found = home == null ? -1 : snapts.indexOf(home);
    begin(found < 0 ? place : found);
  }

  List<Snapt> all() {
    return snapts;
  }
}
