package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.tap.PacketTap;
import io.viaduct.testbed.topology.LinkPlan;
import io.viaduct.testbed.topology.LinkPlan.Family;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.NetworkPlan;
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
/// While they talk, the links of the devices are lost in turn.
public final class CallsDay {
  /// Variable of the environment with the number of hand-overs.
  static final String HAND_OVERS = "VIADUCT_HAND_OVERS";

  private static final long SEED = 20_261_127;
  private static final long TALK_NS = 2_000_000_000L;
  private static final String ALICE = "100.96.0.2"; // addresses in the tunnels
  private static final String BOB = "100.96.0.3";
  private static final List<String> LINKS = List.of("A", "B");
  private static final NetworkPlan PLAN =
      new NetworkPlan(
          2,
          LINKS.stream().map(name -> new LinkPlan(name, Set.of(Family.IPV4), true, name)).toList(),
          SEED);

  /// Drops what nobody has asked for, as the firewall of any SNAPT's host should: otherwise the
  /// first packet of the other end would take the port that this end has told.
  private static final String FIREWALL =
      """
      table inet firewall {
        chain in {
          type filter hook input priority filter
          iifname "core0" meta l4proto udp ct state new udp dport != 443 drop
        }
      }
      """;

  private final MovingLab lab;
  private final RtpArrivals atAlice = new RtpArrivals(ALICE);
  private final RtpArrivals atBob = new RtpArrivals(BOB);

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
      snapt.nft(FIREWALL);
    }
    List<NetworkNamespace> devices = lab.network.devices();
    try (PacketTap one = PacketTap.on(devices.get(0), "viaduct0", atAlice);
        PacketTap other = PacketTap.on(devices.get(1), "viaduct1", atBob)) {
      Baresip alice =
          Baresip.start(devices.get(0), directory, "alice", lab.passwords().alice(), ALICE);
      Baresip bob = Baresip.start(devices.get(1), directory, "bob", lab.passwords().bob(), BOB);
      MovingLab.await(
          () -> alice.has("\\} 200 OK") && bob.has("\\} 200 OK"), "both are registered");
      alice.command("dial", "sip:bob@ims.test");
      MovingLab.await(
          () -> alice.has("incoming rtp for 'audio'") && bob.has("incoming rtp for 'audio'"),
          "audio flows in both directions");
      atAlice.look(System.nanoTime());
      atBob.look(System.nanoTime());
      talk("without hand-over");
      for (int i = 0; i < handOvers; i++) {
        handOver(devices.get(i / 2 % 2), LINKS.get(i % 2));
      }
      alice.command("hangup", "");
      MovingLab.await(
          () -> alice.has("terminated") && bob.has("session closed"), "both have hung up");
      MovingLab.say("INVITEs of alice", alice.found("CSeq: \\d+ INVITE").size());
      MovingLab.say("INVITEs at bob", bob.found("CSeq: \\d+ INVITE").size());
      alice.stop();
      bob.stop();
    }
  }

  private void handOver(NetworkNamespace device, String link) throws Exception {
    atAlice.look(System.nanoTime());
    atBob.look(System.nanoTime());
    device.ip("link set link%s down".formatted(link));
    talk("hand-over from link %s of %s".formatted(link, device.name()));
    lab.network.restoreLink(link);
    lab.agent.awaitUsed("linkA", "linkB");
    lab.agent("cnapt-2").awaitUsed("linkA", "linkB");
  }

  /// Prints what has arrived since the last look, after a while.
  private void talk(String what) {
    long endNs = System.nanoTime() + TALK_NS;
    while (System.nanoTime() - endNs < 0) {
      LockSupport.parkNanos(10_000_000);
    }
    say(what, "alice", atAlice.look(System.nanoTime()));
    say(what, "bob", atBob.look(System.nanoTime()));
  }

  private static void say(String what, String at, RtpArrivals.Seen seen) {
    MovingLab.say(
        what + ", at " + at,
        "%d packets, %d lost, %d audible".formatted(seen.packets(), seen.lost(), seen.audible()));
    MovingLab.say("gap ms", "%.0f".formatted(seen.gapMs()));
    MovingLab.say("audible", seen.audible());
  }
}
