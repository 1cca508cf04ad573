package io.viaduct.testbed.moving;

import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import java.util.List;

/// Three SNAPTs of a group are upgraded one after the other, as docs/operator.md tells operators to
/// do it, under a [SteadyLoad] of two users' agents, which begin at the first and at the last one.
/// Prints what it sees.
public final class RollingUpgrade {
  /// Lines that this class prints, with a number.
  public static final String BROKEN = DrainUnderLoad.BROKEN;

  public static final String LOST = "reports lost";
  public static final String TWICE = "intervals billed twice";

  private static final int MEMBERS = 3;
  private static final List<String> USERS = List.of("alice", "bob");

  private final MovingLab lab;

  private RollingUpgrade(MovingLab lab) {
    this.lab = lab;
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          NetworkPlan plan = NetworkPlan.STANDARD.withSnapts(MEMBERS);
          MovingLab lab = new MovingLab(clone, directory, plan, "", "").withGroup(MEMBERS);
          lab.start();
          String server =
              lab.startSecondAgent(
                  "snapt: {id: snapt-3, host: %s, port: %d}%n"
                      .formatted(Topology.snapt(MEMBERS), Plans.SNAPT_PORT));
          new RollingUpgrade(lab).pass(server);
        });
  }

  /// @param server address whose packets the second device carries
  private void pass(String server) throws Exception {
    tellPlaces();
    SteadyLoad first = SteadyLoad.start(lab, Topology.SERVER);
    SteadyLoad second = SteadyLoad.start(lab, server);
    for (int number = 1; number <= MEMBERS; number++) {
      String snapt = "snapt-" + number;
      int sessions = lab.orders.sessions(snapt);
      lab.orders.drainAway(snapt);
      SteadyLoad.carry();
      MovingLab.say("sessions of " + snapt, sessions);
      MovingLab.say("moved from " + snapt, lab.orders.moved(snapt));
      tellPlaces();
      first.tellLongest("of the move");
      second.tellLongest("of the move, second device");
      MovingLab.say("stop of " + snapt, lab.restart(snapt));
      first.tellLongest("of the restart");
      second.tellLongest("of the restart, second device");
    }
    SteadyLoad.Seen seen = first.stop().and(second.stop());
    MovingLab.say("connections", 2 * SteadyLoad.CONNECTIONS);
    MovingLab.say(BROKEN, seen.broken());
    MovingLab.say("pieces", seen.pieces());
    MovingLab.say("call packets", seen.call().sent());
    MovingLab.say("call lost", seen.call().lost());
    MovingLab.say(DrainUnderLoad.GAP_MS, seen.gapMs());
    bill();
  }

  private void tellPlaces() throws Exception {
    MovingLab.say("devices at", lab.agent("cnapt").at() + " and " + lab.agent("cnapt-2").at());
  }

  // The bytes that the devices have counted are charged: none twice, none lost.
  private void bill() throws Exception {
    SteadyLoad.carry();
    MovingLab.await(() -> charged() >= 0.999 * carried(), "99.9 % of the bytes are charged");
    MovingLab.say("carried bytes", carried());
    MovingLab.say("charged bytes", charged());
    MovingLab.say("charged percent", 100.0 * charged() / carried());
    MovingLab.say(LOST, lab.billing().missingReports() + lab.billing().refusedReports());
    long twice = 0;
    for (String user : USERS) {
      twice += lab.billing().chargedTwice(user);
    }
    MovingLab.say(TWICE, twice);
  }

  private long carried() throws Exception {
    return lab.agent("cnapt").carriedBytes() + lab.agent("cnapt-2").carriedBytes();
  }

  private long charged() throws Exception {
    return lab.billing().chargedBytes("alice") + lab.billing().chargedBytes("bob");
  }
}
