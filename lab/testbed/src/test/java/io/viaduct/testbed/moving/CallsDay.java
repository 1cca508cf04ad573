package io.viaduct.testbed.moving;

import io.viaduct.testbed.call.Audio;
import io.viaduct.testbed.call.AudioCall;
import io.viaduct.testbed.call.AudioCall.Party;
import io.viaduct.testbed.call.MachinePauses;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.LinkPlan;
import io.viaduct.testbed.topology.LinkPlan.Family;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/// The first process of the laboratory of [CallsLabIT]; prints what it sees. Two user agents of
/// another project call each other; each is behind an agent and a SNAPT of its own:
///
/// ```
///   baresip alice ── cnapt ══ links A, B ══ snapt-1 ──┐
///                                                     core ── bridge (SIP, STUN)
///   baresip bob ──── cnapt ══ links A, B ══ snapt-2 ──┘
/// ```
///
/// While they talk, each device in turn loses the link by which its audio leaves. Then Bob's device
/// goes to snapt-1 too, and they talk again: both have the same public address there.
public final class CallsDay {
  /// Variable of the environment with the number of hand-overs.
  static final String HAND_OVERS = "VIADUCT_HAND_OVERS";

  private static final long SEED = 20_261_127;
  private static final long TALK_NS = 2_000_000_000L;
  private static final List<String> LINKS = List.of("A", "B");
  private static final List<String> AT_DEVICES = List.of("linkA", "linkB");

  /// Longest gap in the audio, beyond a round trip of the call.
  static final double GAP_MS_MAX = 60;

  private static final NetworkPlan PLAN =
      new NetworkPlan(
          2,
          LINKS.stream().map(name -> new LinkPlan(name, Set.of(Family.IPV4), true, name)).toList(),
          SEED);

  private final MovingLab lab;

  private CallsDay(Path clone, Path directory) throws Exception {
    lab = new MovingLab(clone, directory, PLAN, "", "").withSnapts(2);
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    int handOvers = Integer.parseInt(System.getenv().getOrDefault(HAND_OVERS, "3"));
    FirstProcess.run(
        arguments, (clone, directory) -> new CallsDay(clone, directory).pass(directory, handOvers));
  }

  private void pass(Path directory, int handOvers) throws Exception {
    if (!lab.network.isMasquerading) {
      MovingLab.say("skipped", "the SNAPTs need nftables");
      return;
    }
    for (String link : LINKS) {
      lab.network.weather(link, "delay=10ms");
    }
    lab.start();
    lab.startOtherDevice();
    for (NetworkNamespace snapt : List.of(lab.network.snapt1, lab.network.snapt2)) {
      snapt.nft(AudioCall.FIREWALL);
    }
    try (AudioCall call = register(directory)) {
      call.dial();
      talk(call, "without hand-over");
      for (int i = 0; i < handOvers; i++) {
        handOver(call, i % 2);
      }
      call.hangUp();
      MovingLab.say("INVITEs of alice", call.callerInvites());
      MovingLab.say("INVITEs at bob", call.calledInvites());
    }
    lab.moveOtherDevice(1);
    try (AudioCall call = register(directory)) {
      call.dial();
      talk(call, "both at one SNAPT");
      call.hangUp();
      MovingLab.say("alice is", lab.agent.at());
      MovingLab.say("bob is", lab.agent("cnapt-2").at());
      MovingLab.say("turned", lab.deployment.metric("snapt-1", "viaduct_relay_turned_total"));
    }
  }

  private AudioCall register(Path directory) throws IOException {
    List<NetworkNamespace> devices = lab.network.devices();
    return AudioCall.register(
        directory,
        new Party(
            devices.get(0),
            Plans.ALICES_TUNNEL,
            Plans.ALICES_ADDRESS,
            "alice",
            lab.passwords().alice()),
        new Party(
            devices.get(1), Plans.BOBS_TUNNEL, Plans.BOBS_ADDRESS, "bob", lab.passwords().bob()),
        System::nanoTime);
  }

  /// Takes the link down by which the audio of a device leaves it.
  private void handOver(AudioCall call, int number) throws Exception {
    NetworkNamespace device = lab.network.devices().get(number);
    AgentView agent = number == 0 ? lab.agent : lab.agent("cnapt-2");
    String other = number == 0 ? Topology.SNAPT_2 : Topology.SNAPT_1;
    String link = agent.awaitLinkTo(other + ":", AT_DEVICES);
    device.ip("link set %s down".formatted(link));
    talk(call, "hand-over from %s of %s, which carries its audio".formatted(link, device.name()));
    MovingLab.say("left the audio's link", link);
    lab.network.restoreLink(LINKS.get(AT_DEVICES.indexOf(link)));
    lab.agent.awaitUsed("linkA", "linkB");
    lab.agent("cnapt-2").awaitUsed("linkA", "linkB");
    MovingLab.say(
        "registrations", lab.deployment.metric("ims-bridge", "viaduct_bridge_registrations"));
  }

  /// Prints what arrives in a while.
  private static void talk(AudioCall call, String what) {
    long fromNs = System.nanoTime();
    try (MachinePauses pauses = MachinePauses.watch(System::nanoTime)) {
      while (System.nanoTime() - fromNs < TALK_NS) {
        LockSupport.parkNanos(10_000_000);
      }
      long untilNs = System.nanoTime();
      Audio alice = call.atCaller(fromNs, untilNs);
      Audio bob = call.atCalled(fromNs, untilNs);
      MovingLab.say("then", what);
      MovingLab.say("pause ms", "%.0f".formatted(pauses.longestMs()));
      double roundTripMs = alice.delayMs() + bob.delayMs();
      MovingLab.say("round trip ms", "%.0f".formatted(roundTripMs));
      say("alice", alice, roundTripMs + GAP_MS_MAX);
      say("bob", bob, roundTripMs + GAP_MS_MAX);
    }
  }

  private static void say(String at, Audio heard, double limitMs) {
    MovingLab.say(
        "at " + at,
        "%d packets, %d lost, %d late, MOS %.2f"
            .formatted(heard.packets().size(), heard.lost(), heard.late(), heard.quality().mos()));
    MovingLab.say("gap ms", "%.0f".formatted(heard.gapMs()));
    MovingLab.say(
        "1 round trip + 60 ms",
        "%.0f ms of %.0f: %s"
            .formatted(heard.gapMs(), limitMs, heard.gapMs() <= limitMs ? "won" : "lost"));
    MovingLab.say("audible", heard.audible());
  }
}
