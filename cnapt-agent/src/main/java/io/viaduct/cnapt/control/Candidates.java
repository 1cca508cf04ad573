package io.viaduct.cnapt.control;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The SNAPTs to which the agent may connect, in order: the configured one first, then the list.
///
/// The last SNAPT that sent a Welcome is *home*. Home gives this device the same pool address even
/// after a restart, so connections survive. They do not survive a move to another SNAPT. Home is
/// therefore tried again until `snapt-patience` has passed, and any other SNAPT only a few times.
/// Owner: the control loop.
final class Candidates {
  /// Failed attempts in a row after which a SNAPT that is not home is skipped.
  static final int ATTEMPTS_MAX = 3;

  private static final int SNAPTS_MAX = 64;

  private final @Nullable Snapt bootstrap;
  private final long patienceNs;
  private List<Snapt> snapts = List.of();
  private @Nullable Snapt home;
  private int place;
  private int attempts;
  private long failingSinceNs;

  /// @param patienceNs how long home is tried again, in ns
  Candidates(SnaptSettings settings, long patienceNs) {
    this.patienceNs = patienceNs;
    bootstrap =
        settings.host().isEmpty()
            ? null
            : new Snapt(settings.id(), settings.host(), settings.port());
    replace(List.of());
  }

  /// Replaces the list. The current SNAPT stays current if it is on the list or is home, because
  /// home may be missing from the list for a short time only.
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

  /// Returns the SNAPT to connect to, or null while none is known.
  @Nullable Snapt current() {
    return snapts.isEmpty() ? null : snapts.get(place % snapts.size());
  }

  /// Records a failed attempt at the current SNAPT.
  ///
  /// @param hopeless true if another attempt at the same SNAPT would be useless
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

  /// Returns true if the next attempt is at home, within the time of `snapt-patience`.
  boolean isPatient(long nowNs) {
    return isHome() && (attempts == 0 || nowNs - failingSinceNs < patienceNs);
  }

  private boolean isHome() {
    Snapt current = current();
    return current != null && current.equals(home);
  }

  /// Records a Welcome of the current SNAPT, which becomes home.
  void succeeded() {
    home = current();
    attempts = 0;
  }

  /// Resets the failures, because failures on the old network say nothing about a SNAPT. Home is
  /// tried first, for the full time of `snapt-patience`.
  void networkChanged() {
    int found = home == null ? -1 : snapts.indexOf(home);
    begin(found < 0 ? place : found);
  }

  List<Snapt> all() {
    return snapts;
  }
}
