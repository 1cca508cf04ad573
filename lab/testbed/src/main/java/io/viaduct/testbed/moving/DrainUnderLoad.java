package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;

/// A device with one session, and two SNAPTs of a group, of which the device's one is drained under
/// a [SteadyLoad]. Prints what it sees.
public final class DrainUnderLoad {
  /// Lines that this class prints, with a number.
  public static final String BROKEN = "connections broken";

  public static final String GAP_MS = "longest gap ms";

  private static final int MEMBERS = 2;
  private static final String FIRST = "snapt-1";
  private static final String SECOND = "snapt-2";

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
          measure(lab);
        });
  }

  private static void measure(MovingLab lab) throws Exception {
    SteadyLoad load = SteadyLoad.start(lab, Topology.SERVER);
    SipCall sip = SipCall.start(lab.network.device, lab.network.server, Topology.SERVER);
    lab.orders.drainAway(FIRST);
    MovingLab.await(() -> lab.agent.at().startsWith(SECOND), "the device is at " + SECOND);
    SteadyLoad.carry();
    load.tellLongest("of the move");
    SipCall.Seen call = sip.end();
    SteadyLoad.Seen seen = load.stop();
    MovingLab.say("SIP from the same address", call.sameAddress());
    MovingLab.say("SIP request of the host answered", call.byeAnswered());
    MovingLab.say("SIP media lost", call.lost());
    MovingLab.say("SIP media gap ms", call.gapMs());
    MovingLab.say(BROKEN, seen.broken());
    MovingLab.say("call lost", seen.call().lost());
    MovingLab.say("call gap ms", seen.call().gapNs() / 1e6);
    MovingLab.say(GAP_MS, seen.gapMs());
  }
}
