package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.Topology;

/// The first process of the laboratory of [BothAtOneLabIT]: a device has a session with flows at
/// each of the two SNAPTs of a group, and one of them is drained. Prints what it sees.
public final class BothAtOneDay {
  private static final String FIRST = "snapt-1";
  private static final String SECOND = "snapt-2";

  private final TwoSnapts snapts;
  private final MovingLab lab;

  private BothAtOneDay(TwoSnapts snapts) {
    this.snapts = snapts;
    lab = snapts.lab;
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          new BothAtOneDay(TwoSnapts.startGroup(clone, directory)).pass();
        });
  }

  private void pass() throws Exception {
    refuseNew(SECOND);
    SteadyLoad moved = SteadyLoad.start(lab, Topology.SERVER);
    SipCall sip = SipCall.start(lab.network.device, lab.network.server, Topology.SERVER);
    lab.orders.byCommand(SECOND, "undrain");
    snapts.awaitBoth(SECOND + " is used again");
    refuseNew(FIRST);
    SteadyLoad own = SteadyLoad.start(lab, lab.server.further());
    MovingLab.say("bytes of the own session", snapts.carriedBytes(SECOND));

    lab.orders.drainAway(FIRST);
    SteadyLoad.carry();
    MovingLab.say("sessions at the one SNAPT", lab.orders.sessions(SECOND));
    MovingLab.say("sessions handed over", lab.orders.moved(FIRST));
    moved.tellLongest("of the moved flows");
    own.tellLongest("of the own flows");
    SipCall.Seen call = sip.end();
    MovingLab.say("SIP from the same address", call.sameAddress());
    MovingLab.say("SIP request of the host answered", call.byeAnswered());
    SteadyLoad.Seen seen = moved.stop().and(own.stop());
    MovingLab.say(DrainUnderLoad.BROKEN, seen.broken());
    MovingLab.say("pieces", seen.pieces());
    MovingLab.say("call lost", seen.call().lost());
    MovingLab.say(DrainUnderLoad.GAP_MS, seen.gapMs());
    bill();

    lab.orders.byCommand(FIRST, "undrain");
    MovingLab.await(
        () -> lab.orders.sessions(SECOND) == 1, "the session that was handed over has ended");
    snapts.awaitBoth(FIRST + " is used again");
    MovingLab.say("sessions at the first SNAPT", lab.orders.sessions(FIRST));
  }

  /// Drains a SNAPT without a deadline, so that new flows go to the other one.
  private void refuseNew(String snapt) throws Exception {
    MovingLab.say("drain " + snapt, lab.orders.byCommand(snapt, "drain"));
    MovingLab.await(() -> lab.agent.carrying() == 1, "new flows avoid " + snapt);
  }

  // The bytes that the device has counted are charged: none twice, none lost.
  private void bill() throws Exception {
    MovingLab.await(
        () -> lab.chargedBytes() >= 0.999 * lab.agent.carriedBytes(),
        "99.9 % of the bytes are charged");
    MovingLab.say("charged percent", 100.0 * lab.chargedBytes() / lab.agent.carriedBytes());
    MovingLab.say("reports lost", lab.billing().missingReports() + lab.billing().refusedReports());
    MovingLab.say("intervals billed twice", lab.billing().chargedTwice("alice"));
  }
}
