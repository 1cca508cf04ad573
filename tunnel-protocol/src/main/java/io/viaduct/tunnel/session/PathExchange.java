package io.viaduct.tunnel.session;

import io.viaduct.tunnel.path.Binding;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.path.ProbeExchange;
import io.viaduct.tunnel.wire.PathMessage;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetSocketAddress;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// What PATH messages do at either end: the agent probes and answers challenges, the SNAPT answers
/// probes, challenges new addresses and moves the binding.
final class PathExchange {
  private final boolean agent;
  private final DatagramWriter datagrams;
  private final PacketRestorer restorer;
  private final PathListener listener;
  private final ProbeExchange probes = new ProbeExchange();
  private final Binding binding;
  private double sharedRoundTripUs = Double.NaN;

  PathExchange(
      boolean agent,
      DatagramWriter datagrams,
      PacketRestorer restorer,
      PathListener listener,
      RandomGenerator random) {
    this.agent = agent;
    this.datagrams = datagrams;
    this.restorer = restorer;
    this.listener = listener;
    this.binding = new Binding(random);
  }

  @Nullable InetSocketAddress boundTo() {
    return binding.address();
  }

  boolean isBound() {
    return agent || binding.address() != null;
  }

  double roundTripUs() {
    return agent ? probes.smoothedRoundTripUs() : sharedRoundTripUs;
  }

  double loss() {
    return probes.loss();
  }

  void probe(long nowNs) {
    datagrams.add(probes.next(nowNs / 1000), null);
  }

  /// An authentic datagram came from here. @return ACCEPTED or CANDIDATES_FULL
  Verdict heard(InetSocketAddress from, boolean newest, long nowNs) {
    if (agent) {
      return Verdict.ACCEPTED;
    }
    switch (binding.heard(from, newest, nowNs)) {
      case FIRST -> listener.bindingMoved(null, from);
      case CHALLENGE -> {
        datagrams.add(new PathMessage.Challenge(binding.nonce()), from);
        listener.challenged(from);
      }
      case FULL -> {
        return Verdict.CANDIDATES_FULL;
      }
      case BOUND, ELSEWHERE -> {}
    }
    return Verdict.ACCEPTED;
  }

  /// Takes the body of an authentic PATH datagram.
  Verdict message(byte[] body, int length, InetSocketAddress from, long nowNs) {
    PathMessage message = PathMessage.read(body, 0, length);
    return switch (message) {
      case null -> Verdict.MALFORMED;
      case PathMessage.Probe probe -> probed(probe, from, nowNs);
      case PathMessage.ProbeReply reply -> replied(reply, nowNs);
      case PathMessage.Challenge challenge -> {
        datagrams.add(new PathMessage.Response(challenge.nonce()), agent ? null : from);
        listener.answered(from);
        yield Verdict.ACCEPTED;
      }
      case PathMessage.Response response -> responded(response, from, nowNs);
    };
  }

  private Verdict probed(PathMessage.Probe probe, InetSocketAddress from, long nowNs) {
    long nowUs = nowNs / 1000;
    datagrams.add(
        new PathMessage.ProbeReply(probe.number(), probe.t1Us(), nowUs, nowUs),
        agent ? null : from);
    if (probe.offsetUs() != PathMessage.OFFSET_UNKNOWN) {
      restorer.peerOffset(-probe.offsetUs());
      sharedRoundTripUs = Integer.toUnsignedLong(probe.roundTripUs());
    }
    return Verdict.ACCEPTED;
  }

  private Verdict replied(PathMessage.ProbeReply reply, long nowNs) {
    if (!probes.answered(reply, nowNs / 1000)) {
      return Verdict.PATH_UNEXPECTED;
    }
    long offsetUs = Math.round(probes.offsetUs());
    restorer.peerOffset(offsetUs);
    listener.probed(probes.lastRoundTripUs(), probes.smoothedRoundTripUs(), offsetUs);
    return Verdict.ACCEPTED;
  }

  private Verdict responded(PathMessage.Response response, InetSocketAddress from, long nowNs) {
    InetSocketAddress before = binding.address();
    if (agent || !binding.answered(from, response.nonce(), nowNs)) {
      return Verdict.PATH_UNEXPECTED;
    }
    listener.bindingMoved(before, from);
    return Verdict.ACCEPTED;
  }
}
