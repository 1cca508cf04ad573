package io.viaduct.cnapt.control;

import io.viaduct.cnapt.control.SnaptWatch.Watched;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The times of handshakes with the SNAPTs of the list that no line uses, and which of them is
/// measured next. Reads no clock. Owner: the control loop.
final class HandshakeTimes {
  private static final double NEWEST = 0.25;
  private static final int UNANSWERED_MAX = 1;

  private final SnaptClaims claims;
  private final Map<Snapt, Measured> measured = new HashMap<>();
  private List<Snapt> listed = List.of();
  private int turn;

  /// @param name for a person
  /// @param roundTripMs NaN before the first answer
  private record Measured(String name, double roundTripMs, int unanswered, long atNs) {
    private static Measured nothing(Snapt of) {
      return new Measured(of.toString(), Double.NaN, 0, 0);
    }
  }

  /// @param claims SNAPTs that are used
  HandshakeTimes(SnaptClaims claims) {
    this.claims = claims;
  }

  /// Sets the SNAPTs of the list.
  void list(List<Snapt> snapts) {
    listed = List.copyOf(snapts);
    measured.keySet().retainAll(listed);
    listed.forEach(each -> measured.computeIfAbsent(each, Measured::nothing));
  }

  /// Returns the SNAPT that is measured next, in turn; null if all are used.
  @Nullable Snapt next() {
    List<Snapt> free = claims.free(listed);
    return free.isEmpty() ? null : free.get(Math.floorMod(turn++, free.size()));
  }

  /// Takes the result of a handshake.
  ///
  /// @param ms time of a handshake; NaN without an answer
  /// @return false if the SNAPT is not listed any more
  boolean answered(Snapt snapt, double ms, long nowNs) {
    Measured before = measured.get(snapt);
    if (before == null) {
      return false;
    }
    double known = before.roundTripMs;
    if (!Double.isNaN(ms)) {
      double smoothed = Double.isNaN(known) ? ms : known + NEWEST * (ms - known);
      measured.put(snapt, new Measured(before.name, smoothed, 0, nowNs));
    } else {
      measured.put(snapt, new Measured(before.name, known, before.unanswered + 1, before.atNs));
    }
    return true;
  }

  /// Returns the smoothed round trip to a SNAPT in ms; NaN if it is not known, or if the SNAPT has
  /// not answered twice in a row.
  double roundTripMs(Snapt snapt) {
    Measured known = measured.get(snapt);
    return known == null || known.unanswered > UNANSWERED_MAX ? Double.NaN : known.roundTripMs;
  }

  /// Returns the SNAPTs that are not used, as far as they are known, in the order of the list.
  List<Watched> watched(long nowNs) {
    List<Watched> now = new ArrayList<>();
    for (Snapt each : claims.free(listed)) {
      Measured known = measured.get(each);
      if (known != null) {
        now.add(watched(each, known, nowNs));
      }
    }
    return List.copyOf(now);
  }

  private static Watched watched(Snapt snapt, Measured known, long nowNs) {
    boolean isMeasured = !Double.isNaN(known.roundTripMs);
    return new Watched(
        snapt,
        known.name,
        isMeasured ? known.roundTripMs : null,
        known.unanswered,
        isMeasured ? (nowNs - known.atNs) / 1_000_000 : null);
  }
}
