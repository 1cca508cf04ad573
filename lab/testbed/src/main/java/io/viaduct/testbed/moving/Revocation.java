package io.viaduct.testbed.moving;

import io.viaduct.testbed.demo.BillingClient;
import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.process.StatusSocket;
import io.viaduct.testbed.topology.NetworkPlan;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;

/// A device with a session at each of two SNAPTs (ADR 0071). In each round an operator suspends its
/// user and lets the user in again, then removes the device, which binds its key again. Prints the
/// time from the operator's request until each SNAPT has ended the session and refuses the token.
public final class Revocation {
  /// Lines that this class prints, with a number in each round.
  public static final String SUSPENDED_MS = "suspended user refused by each SNAPT after ms";

  public static final String REMOVED_MS = "removed device refused by each SNAPT after ms";

  /// Rounds of one run.
  public static final int ROUNDS = 20;

  private static final String USER = "alice";
  private static final String AGENT = "cnapt";
  private static final List<String> SNAPTS = List.of("snapt-1", "snapt-2");

  /// The bridge waits before it believes the loss of a device that was bound in the last 5 s.
  private static final long NEW_NS = 6_000_000_000L;

  private static final long STEP_NS = 1_000_000;

  private final TwoSnapts snapts;
  private final BillingClient billing;

  private Revocation(TwoSnapts snapts) {
    this.snapts = snapts;
    this.billing = snapts.lab.billing();
  }

  private interface Order {
    void give() throws Exception;
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(arguments, (clone, directory) -> start(clone, directory).pass());
  }

  private static Revocation start(Path clone, Path directory) throws Exception {
    return new Revocation(TwoSnapts.start(clone, directory, "", NetworkPlan.STANDARD));
  }

  private void pass() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      measure(SUSPENDED_MS, () -> billing.suspend(USER, true));
      billing.suspend(USER, false);
      awaitSessions("the user is let in again");
      settle();
      // A frozen agent cannot bind its key again before the SNAPTs know of its removal.
      snapts.lab.deployment.signal(AGENT, "STOP");
      measure(REMOVED_MS, () -> billing.removeDevices(USER));
      snapts.lab.deployment.signal(AGENT, "CONT");
      awaitSessions("the device is bound again");
    }
  }

  private void measure(String what, Order order) throws Exception {
    Map<String, String> before = sessions();
    long orderedNs = System.nanoTime();
    order.give();
    for (String each : SNAPTS) {
      while (session(each).equals(before.get(each))) {
        LockSupport.parkNanos(STEP_NS);
      }
    }
    MovingLab.say(what, (System.nanoTime() - orderedNs) / 1e6);
  }

  /// Waits for sessions at the SNAPTs: an agent that was frozen does not know yet that its own have
  /// ended.
  private void awaitSessions(String what) throws Exception {
    MovingLab.await(() -> !sessions().containsValue(""), what);
    snapts.awaitBoth(what);
  }

  private Map<String, String> sessions() throws Exception {
    Map<String, String> all = new HashMap<>();
    for (String each : SNAPTS) {
      all.put(each, session(each));
    }
    return all;
  }

  /// Returns the session of a SNAPT; empty without one. Another session of the same device is one
  /// of a new token.
  private String session(String snapt) throws Exception {
    JsonNode sessions =
        StatusSocket.read(snapts.lab.deployment.plans().socket(snapt)).path("sessions");
    return sessions.path(0).path("session").asString("");
  }

  private static void settle() {
    long endNs = System.nanoTime() + NEW_NS;
    while (System.nanoTime() - endNs < 0) {
      LockSupport.parkNanos(endNs - System.nanoTime());
    }
  }
}
