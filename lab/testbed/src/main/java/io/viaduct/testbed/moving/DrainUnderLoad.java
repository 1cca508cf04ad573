package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import java.util.List;

/// A device with one session, and two SNAPTs of a group, of which the device's one is drained under
/// a [SteadyLoad] beside a [BulkFlow]. Then the session goes back, and the SNAPT that should take
/// it is killed when it has sent its Welcome. Prints what it sees.
public final class DrainUnderLoad {
  /// Lines that this class prints, with a number.
  public static final String BROKEN = "connections broken";

  public static final String GAP_MS = "longest gap ms";
  public static final String REFUSED = "packets refused for their source";
  public static final String BROKEN_BY_KILL = "connections broken by a member that dies";
  public static final String BULK_ENDED = "bulk flows that did not go on";

  private static final int MEMBERS = 2;
  private static final String FIRST = "snapt-1";
  private static final String SECOND = "snapt-2";
  private static final List<String> GATEWAYS = List.of("A", "B");

  private DrainUnderLoad() {}

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          MovingLab lab =
              new MovingLab(clone, directory, NetworkPlan.STANDARD, "", "").withGroup(MEMBERS);
          lab.start();
          MovingLab.await(() -> lab.agent.at().startsWith(FIRST), "the device is at " + FIRST);
          BulkFlow bulk = BulkFlow.start(lab, Topology.SERVER);
          measure(lab, bulk);
          boolean goesOn = goesOn(bulk, "behind the drain");
          killTheNext(lab);
          goesOn &= goesOn(bulk, "behind the death");
          MovingLab.say("longest silence of the bulk flow ms", bulk.longestMs());
          MovingLab.say(BULK_ENDED, goesOn ? 0 : 1);
          bulk.stop();
        });
  }

  private static boolean goesOn(BulkFlow bulk, String when) throws Exception {
    MovingLab.say("bulk Mbit/s until then", bulk.takeMbitPerSecond());
    SteadyLoad.carry();
    double rate = bulk.takeMbitPerSecond();
    MovingLab.say("bulk Mbit/s " + when, rate);
    return rate > 0 && !bulk.isBroken();
  }

  private static void measure(MovingLab lab, BulkFlow bulk) throws Exception {
    SteadyLoad load = SteadyLoad.start(lab, Topology.SERVER);
    SipCall sip = SipCall.start(lab.network.device, lab.network.server, Topology.SERVER);
    MovingLab.say("bulk Mbit/s before the drain", bulk.takeMbitPerSecond());
    lab.orders.drainAway(FIRST);
    MovingLab.await(() -> lab.agent.at().startsWith(SECOND), "the device is at " + SECOND);
    SteadyLoad.carry();
    load.tellLongest("of the move");
    SipCall.Seen call = sip.end();
    SteadyLoad.Seen seen = load.stop();
    MovingLab.say(REFUSED, lab.sourcesRefused());
    MovingLab.say("SIP from the same address", call.sameAddress());
    MovingLab.say("SIP request of the host answered", call.byeAnswered());
    MovingLab.say("SIP media lost", call.lost());
    MovingLab.say("SIP media gap ms", call.gapMs());
    MovingLab.say(BROKEN, seen.broken());
    MovingLab.say("call lost", seen.call().lost());
    MovingLab.say("call gap ms", seen.call().gapNs() / 1e6);
    MovingLab.say(GAP_MS, seen.gapMs());
  }

  // The SNAPT takes the session with the first datagram of the device, so UDP to it is cut off.
  private static void killTheNext(MovingLab lab) throws Exception {
    lab.orders.byCommand(FIRST, "undrain");
    MovingLab.await(
        () -> lab.agent.status().path("control").path("snapts").toString().contains(FIRST),
        FIRST + " serves again");
    SteadyLoad load = SteadyLoad.start(lab, Topology.SERVER);
    String welcome = "session \\S+ at %s \\S+, handed over$".formatted(FIRST);
    long before = lab.logged("cnapt", welcome);
    udp(lab, "add");
    MovingLab.say("drain " + SECOND, lab.orders.byCommand(SECOND, "drain", "--deadline", "1"));
    MovingLab.await(() -> lab.logged("cnapt", welcome) > before, FIRST + " has sent a Welcome");
    lab.deployment.process(FIRST).kill();
    lab.orders.byCommand(SECOND, "undrain"); // the session need not be moved at the deadline
    MovingLab.await(
        () -> lab.agent.at().startsWith(SECOND), "the device is at " + SECOND + " again");
    SteadyLoad.carry();
    udp(lab, "del");
    SteadyLoad.Seen seen = load.stop();
    MovingLab.say("hand-overs turned back", lab.logged("cnapt", "going back to session"));
    MovingLab.say(BROKEN_BY_KILL, seen.broken());
    MovingLab.say("gap by a member that dies, ms", seen.gapMs());
  }

  private static void udp(MovingLab lab, String verb) {
    for (String gateway : GATEWAYS) {
      for (String to : List.of(Topology.snapt(1), Topology.snapt6(1))) {
        String family = to.indexOf(':') < 0 ? "-4" : "-6";
        String rule = "ip %s rule %s pref 12 to %s ipproto udp blackhole";
        lab.network.gateway(gateway).run(rule.formatted(family, verb, to).split(" "));
      }
    }
  }
}
