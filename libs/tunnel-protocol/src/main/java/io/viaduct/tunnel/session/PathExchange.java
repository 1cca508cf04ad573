package io.viaduct.tunnel.session;

import io.viaduct.tunnel.path.Binding;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.path.PathMtuSearch;
import io.viaduct.tunnel.path.PeerClock;
import io.viaduct.tunnel.path.ProbeExchange;
import io.viaduct.tunnel.wire.PathMessage;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetSocketAddress;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Handles PATH messages at either end. The agent probes, answers challenges and chooses the
/// carrier. The SNAPT answers probes, challenges new addresses and moves the binding. A datagram
/// without source address came by the control connection.
final class PathExchange {
  private final boolean agent;
  private final DatagramWriter datagrams;
  private final PeerClock peerClock;
  private final SessionPacing pacing;
  private final PathListener listener;
  private final ProbeExchange probes = new ProbeExchange();
  private final Binding binding;
  private double sharedRoundTripUs = Double.NaN;
  private Carrier carrier = Carrier.UDP;
  private long carrierSequence = -1;
  private final PathMtuSearch mtu;
  private int mtuRun;
  private boolean unknownPath = true;

  PathExchange(
      SessionState state, OutboundHalf outbound, PathListener listener, RandomGenerator random) {
    this.agent = state.atDevice;
    this.datagrams = outbound.datagrams;
    this.peerClock = state.peerClock;
    this.pacing = outbound.pacing;
    this.listener = listener;
    this.mtu = state.mtu;
    this.binding = new Binding(random);
  }

  @Nullable InetSocketAddress boundTo() {
    return binding.address();
  }

  boolean isBound() {
    return agent || carrier == Carrier.CONTROL || binding.address() != null;
  }

  Carrier carrier() {
    return carrier;
  }

  /// Sends datagrams by this carrier from now on, and asks the SNAPT to do the same (agent only).
  /// Repeating the call repeats the request.
  void carryBy(Carrier chosen, boolean controlStands) {
    if (chosen == Carrier.CONTROL && !controlStands) {
      throw new IllegalStateException("there is no control connection");
    }
    datagrams.add(new PathMessage.CarryBy(chosen == Carrier.CONTROL), chosen, null);
    carrier(chosen);
  }

  /// Switches to UDP, because the control connection is gone.
  void controlLost() {
    carrier(Carrier.UDP);
  }

  private void carrier(Carrier chosen) {
    if (carrier != chosen) {
      carrier = chosen;
      changed();
      listener.carriedBy(chosen);
    }
  }

  /// Forgets all measurements, because the path has changed. The MTU is searched when the new path
  /// answers.
  void changed() {
    unknownPath = true;
    mtu.suspend();
    pacing.pathChanged();
  }

  /// Starts the MTU search of a new path, which has answered by UDP.
  private void answers(long nowNs) {
    if (unknownPath && carrier == Carrier.UDP) {
      unknownPath = false;
      mtuRun = mtuRun + 1 & 0xFFFF;
      mtu.restart(nowNs);
    }
  }

  /// Sends the MTU probes that are due.
  void tick(long nowNs) {
    double roundTripUs = roundTripUs();
    long roundTripNs = Double.isNaN(roundTripUs) ? 0 : (long) (roundTripUs * 1000);
    for (int size = mtu.tick(nowNs, roundTripNs); size > 0; size = mtu.tick(nowNs, roundTripNs)) {
      datagrams.add(new PathMessage.MtuProbe(mtuRun, size), Carrier.UDP, boundTo());
    }
  }

  double roundTripUs() {
    return agent ? probes.smoothedRoundTripUs() : sharedRoundTripUs;
  }

  void probe(Carrier by, long nowNs) {
    datagrams.add(probes.next(nowNs / 1000), by, null);
  }

  /// Takes the source of an authentic datagram. @return ACCEPTED or CANDIDATES_FULL
  Verdict heard(@Nullable InetSocketAddress from, boolean newest, long nowNs) {
    if (agent || from == null) {
      return Verdict.ACCEPTED;
    }
    switch (binding.heard(from, newest, nowNs)) {
      case FIRST -> listener.bindingMoved(null, from);
      case BOUND -> answers(nowNs);
      case CHALLENGE -> {
        datagrams.add(new PathMessage.Challenge(binding.nonce()), Carrier.UDP, from);
        listener.challenged(from);
      }
      case FULL -> {
        return Verdict.CANDIDATES_FULL;
      }
      case ELSEWHERE -> {}
    }
    return Verdict.ACCEPTED;
  }

  /// Handles the body of an authentic PATH datagram.
  Verdict message(
      byte[] body, int length, @Nullable InetSocketAddress from, long sequence, long nowNs) {
    PathMessage message = PathMessage.read(body, 0, length);
    return switch (message) {
      case null -> Verdict.MALFORMED;
      case PathMessage.Probe probe -> probed(probe, from, nowNs);
      case PathMessage.ProbeReply reply -> replied(reply, from, nowNs);
      case PathMessage.Challenge challenge -> challenged(challenge, from);
      case PathMessage.Response response -> responded(response, from, nowNs);
      case PathMessage.MtuProbe probe -> arrived(probe, from, nowNs);
      case PathMessage.MtuAck ack -> acknowledged(ack, from, nowNs);
      case PathMessage.CarryBy asked -> asked(asked, from, sequence);
      case PathMessage.Receipt receipt -> received(receipt, from, nowNs);
    };
  }

  /// Sends a receipt to the peer if one is due. A control connection needs none: TCP paces it.
  void acknowledge(long nowNs) {
    PathMessage.Receipt receipt = carrier == Carrier.UDP ? pacing.dueReceipt(nowNs) : null;
    if (receipt != null) {
      datagrams.add(receipt, Carrier.UDP, binding.address());
    }
  }

  private Verdict received(
      PathMessage.Receipt receipt, @Nullable InetSocketAddress from, long nowNs) {
    if (carrier == Carrier.UDP && from != null) {
      pacing.receipt(receipt, roundTripUs(), nowNs);
      mtu.arrived(receipt.largest());
    }
    return Verdict.ACCEPTED;
  }

  private static Carrier carrierOf(@Nullable InetSocketAddress from) {
    return from == null ? Carrier.CONTROL : Carrier.UDP;
  }

  private Verdict challenged(PathMessage.Challenge challenge, @Nullable InetSocketAddress from) {
    if (from == null) {
      return Verdict.PATH_UNEXPECTED;
    }
    datagrams.add(new PathMessage.Response(challenge.nonce()), Carrier.UDP, agent ? null : from);
    listener.answered(from);
    return Verdict.ACCEPTED;
  }

  // The newest request counts: an older one that an attacker has delayed must not undo it.
  private Verdict asked(
      PathMessage.CarryBy asked, @Nullable InetSocketAddress from, long sequence) {
    Carrier by = carrierOf(from);
    if (agent || asked.control() != (by == Carrier.CONTROL) || sequence <= carrierSequence) {
      return Verdict.PATH_UNEXPECTED;
    }
    carrierSequence = sequence;
    carrier(by);
    return Verdict.ACCEPTED;
  }

  private Verdict probed(PathMessage.Probe probe, @Nullable InetSocketAddress from, long nowNs) {
    long nowUs = nowNs / 1000;
    datagrams.add(
        new PathMessage.ProbeReply(probe.number(), probe.t1Us(), nowUs, nowUs),
        carrierOf(from),
        agent ? null : from);
    if (probe.offsetUs() != PathMessage.OFFSET_UNKNOWN) {
      peerClock.offset(-probe.offsetUs());
      sharedRoundTripUs = Integer.toUnsignedLong(probe.roundTripUs());
    }
    return Verdict.ACCEPTED;
  }

  private Verdict arrived(
      PathMessage.MtuProbe probe, @Nullable InetSocketAddress from, long nowNs) {
    if (from == null) {
      return Verdict.PATH_UNEXPECTED;
    }
    datagrams.add(
        new PathMessage.MtuAck(probe.run(), probe.size()), Carrier.UDP, agent ? null : from);
    boolean halving = probe.size() != PathMtuSearch.BASE && probe.size() != PathMtuSearch.LEAST;
    if (halving && probe.size() < mtu.size()) {
      mtu.suspect(nowNs);
    }
    return Verdict.ACCEPTED;
  }

  private Verdict acknowledged(
      PathMessage.MtuAck ack, @Nullable InetSocketAddress from, long nowNs) {
    if (from == null || unknownPath || ack.run() != mtuRun) {
      return Verdict.PATH_UNEXPECTED;
    }
    mtu.acknowledged(ack.size(), nowNs);
    return Verdict.ACCEPTED;
  }

  private Verdict replied(
      PathMessage.ProbeReply reply, @Nullable InetSocketAddress from, long nowNs) {
    if (!probes.answered(reply, nowNs / 1000)) {
      return Verdict.PATH_UNEXPECTED;
    }
    long offsetUs = Math.round(probes.offsetUs());
    peerClock.offset(offsetUs);
    if (from != null) {
      answers(nowNs);
    }
    listener.probed(probes.lastRoundTripUs(), probes.smoothedRoundTripUs(), offsetUs);
    return Verdict.ACCEPTED;
  }

  private Verdict responded(
      PathMessage.Response response, @Nullable InetSocketAddress from, long nowNs) {
    InetSocketAddress before = binding.address();
    if (agent || from == null || !binding.answered(from, response.nonce(), nowNs)) {
      return Verdict.PATH_UNEXPECTED;
    }
    changed();
    listener.bindingMoved(before, from);
    return Verdict.ACCEPTED;
  }
}
