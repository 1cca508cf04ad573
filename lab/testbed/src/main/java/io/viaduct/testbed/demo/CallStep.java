package io.viaduct.testbed.demo;

import io.viaduct.testbed.call.Audio;
import io.viaduct.testbed.call.AudioCall;
import io.viaduct.testbed.call.AudioCall.Party;
import io.viaduct.testbed.call.MachinePauses;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.report.Table;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/// Step (e) where baresip is installed: Alice calls Bob, each through an agent and a SNAPT. The
/// link that carries the call is lost in the middle.
final class CallStep {
  private static final long BEFORE_NS = 2_000_000_000L;
  private static final long AFTER_NS = 4_000_000_000L;

  /// Longest gap in the audio beyond a round trip of the call.
  private static final double GAP_MS = 60;

  /// A machine that pauses for longer says nothing about the gap.
  private static final double PAUSE_MS = 20;

  private static final int ATTEMPTS = 3;

  private final DeviceLinks links;
  private final OtherSide other;
  private final Passwords passwords;
  private final Path directory;

  /// @param directory of the user agents' configuration and logs
  CallStep(DeviceLinks links, OtherSide other, Passwords passwords, Path directory) {
    this.links = links;
    this.other = other;
    this.passwords = passwords;
    this.directory = directory;
  }

  /// The audio that both have heard since the link was lost.
  private record Heard(Audio atAlice, Audio atBob) {
    double limitMs() {
      return atAlice.delayMs() + atBob.delayMs() + GAP_MS;
    }

    boolean holds() {
      return atAlice.gapMs() <= limitMs() && atBob.gapMs() <= limitMs();
    }
  }

  /// Runs the step.
  void run(Narration narration) throws IOException {
    links.restore();
    other.start();
    try {
      talk(narration);
    } finally {
      other.end();
    }
  }

  private void talk(Narration narration) throws IOException {
    try (AudioCall call = register()) {
      call.dial();
      long fromNs = links.nowNs();
      narration.line("audio flows between alice and bob, each behind an agent");
      links.pause(BEFORE_NS);
      Heard heard = handOver(narration, call);
      long untilNs = links.nowNs();
      call.hangUp();
      told(narration, call, (untilNs - fromNs) / 1e9);
      told(narration, heard);
      told(narration, call.atCaller(fromNs, untilNs), call.atCalled(fromNs, untilNs));
    }
  }

  private AudioCall register() throws IOException {
    return AudioCall.register(
        directory,
        new Party(
            links.topology.device,
            Plans.ALICES_TUNNEL,
            Plans.ALICES_ADDRESS,
            "alice",
            passwords.alice()),
        new Party(other.device(), Plans.BOBS_TUNNEL, Plans.BOBS_ADDRESS, "bob", passwords.bob()),
        links::nowNs);
  }

  /// Takes the call's link down, again if the machine was too busy to measure that.
  private Heard handOver(Narration narration, AudioCall call) throws IOException {
    for (int attempt = 1; ; attempt++) {
      String link = links.awaitLinkTo(Topology.snapt(OtherSide.SNAPT) + ":");
      try (MachinePauses pauses = MachinePauses.watch(links::nowNs)) {
        long fromNs = links.nowNs();
        links.lose(link);
        narration.line("%s, which carries alice's audio, is down", link);
        links.pause(AFTER_NS);
        long untilNs = links.nowNs();
        Heard heard = new Heard(call.atCaller(fromNs, untilNs), call.atCalled(fromNs, untilNs));
        links.restore();
        if (heard.holds() || pauses.longestMs() < PAUSE_MS || attempt == ATTEMPTS) {
          return heard;
        }
        narration.line("this machine paused for %.0f ms meanwhile: again", pauses.longestMs());
      }
    }
  }

  private static void told(Narration narration, AudioCall call, double seconds) {
    narration.hold(
        call.calledInvites() == 1 && call.callerInvites() <= 2,
        "the call stayed one call for %.1f s: bob has seen %d INVITE, and no re-INVITE",
        seconds,
        call.calledInvites());
  }

  private static void told(Narration narration, Heard heard) {
    narration.hold(
        heard.holds(),
        "longest gap in the audio beyond the %d ms of a packet: %.0f ms at alice, %.0f ms at bob;"
            + " 1 round trip + %.0f ms are %.0f ms",
        Audio.PACKET_MS,
        heard.atAlice().gapMs(),
        heard.atBob().gapMs(),
        GAP_MS,
        heard.limitMs());
  }

  private static void told(Narration narration, Audio atAlice, Audio atBob) {
    narration.block(
        new Table()
            .row("heard by", "packets", "lost", "late", "one way, ms", "R", "MOS")
            .row(row("alice", atAlice))
            .row(row("bob", atBob))
            .toString());
    narration.line(
        "R and MOS by the E-model, for G.711 that conceals no loss, with %d ms of playout buffer",
        Audio.BUFFER_MS);
  }

  private static Object[] row(String name, Audio heard) {
    return new Object[] {
      name,
      heard.packets().size(),
      heard.lost(),
      heard.late(),
      number("%.1f", heard.delayMs()),
      number("%.1f", heard.quality().rating()),
      number("%.2f", heard.quality().mos())
    };
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
