package io.viaduct.cnapt.control;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The SNAPTs that may be asked, in order: the operator's bootstrap first, then the list. One is
/// stayed with for some attempts, because a session there can be resumed. Owner: the control loop.
final class Candidates {
  /// Attempts in a row at one SNAPT before the next one is tried.
  static final int ATTEMPTS_MAX = 3;

  private static final int SNAPTS_MAX = 64;

  private final @Nullable Snapt bootstrap;
  private List<Snapt> snapts = List.of();
  private int place;
  private int attempts;

  Candidates(SnaptSettings settings) {
    bootstrap =
        settings.host().isEmpty()
            ? null
            : new Snapt(settings.id(), settings.host(), settings.port());
    replace(List.of());
  }

  /// Takes another list; the one that is current stays so if it is still there.
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
    snapts = List.copyOf(next);
    int found = current == null ? -1 : snapts.indexOf(current);
    if (found >= 0) {
      place = found;
    } else {
      place = 0;
      attempts = 0;
    }
  }

  /// Whom to ask; null while nobody is known.
  @Nullable Snapt current() {
    return snapts.isEmpty() ? null : snapts.get(place % snapts.size());
  }

  /// An attempt at the current one has failed.
  ///
  /// @param hopeless whether the same one need not be asked again
  /// @return whether another one is current now
  boolean failed(boolean hopeless) {
    attempts++;
    if (snapts.size() < 2 || (!hopeless && attempts < ATTEMPTS_MAX)) {
      return false;
    }
    attempts = 0;
    place = (place + 1) % snapts.size();
    return true;
  }

  void succeeded() {
    attempts = 0;
  }

  List<Snapt> all() {
    return snapts;
  }
}
