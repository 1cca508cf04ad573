package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.credit.CreditDesk;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/// Sessions that reserve credit and carry nothing. They must never move money, never reserve more
/// than an account has, and leave nothing reserved when they end.
final class ReservingSessions {
  private final MediationRig rig;
  private final CreditDesk desk;
  private final Map<String, Deque<String>> open = new HashMap<>(); // session ids by account
  private int begun;

  ReservingSessions(MediationRig rig, String snapt, String owner) {
    this.rig = rig;
    desk =
        new CreditDesk(
            SharedDatabase.transaction(), rig.jdbc, rig.tariffs, rig.surcharges, snapt, owner);
  }

  /// Begins a session of an account, or ends its oldest one.
  void step(int n, String account) {
    Deque<String> sessions = open.computeIfAbsent(account, _ -> new ArrayDeque<>());
    if (n % 3 == 0 && !sessions.isEmpty()) {
      desk.end(sessions.removeFirst(), account, rig.clock.instant());
      return;
    }
    begun++;
    String session = "reserving-" + begun + "-" + account;
    sessions.addLast(session);
    long before = desk.reserved(account);
    desk.begin(session, account, rig.clock.instant());
    assertThat(desk.reserved(account))
        .as("reserved of a balance of %d, %d before", rig.balance(account), before)
        .isLessThanOrEqualTo(Math.max(before, rig.balance(account)));
  }

  /// Returns what is reserved for an account, in micro-denarii.
  long reserved(String account) {
    return desk.reserved(account);
  }

  /// Checks that only open sessions have something reserved.
  void check() {
    open.forEach((account, sessions) -> {
      if (sessions.isEmpty()) {
        assertThat(desk.reserved(account)).as("reserved for %s", account).isZero();
      }
    });
  }
}
