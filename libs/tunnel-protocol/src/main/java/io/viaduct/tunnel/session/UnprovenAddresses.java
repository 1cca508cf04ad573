package io.viaduct.tunnel.session;

import io.viaduct.tunnel.key.Sealer;
import io.viaduct.tunnel.path.Bindings;
import io.viaduct.tunnel.path.Candidate;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.wire.PathMessage;
import io.viaduct.tunnel.wire.ProbeBody;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// Answers the messages of addresses that have not answered their challenge, as far as the bytes
/// pay that have come from there (docs/protocol.md section 4.1).
final class UnprovenAddresses {
  private final boolean agent;
  private final SessionPaths paths;
  private final Bindings bindings;

  /// @param agent true at the device, whose peer is fixed
  UnprovenAddresses(boolean agent, SessionPaths paths, Bindings bindings) {
    this.agent = agent;
    this.paths = paths;
    this.bindings = bindings;
  }

  /// Returns the bytes of the outer IP packet of a message.
  static int outerBytes(int messageBytes, InetSocketAddress to) {
    return Sealer.OVERHEAD + messageBytes + OuterHeader.of(to).bytes();
  }

  private static int replyBytes(Candidate to) {
    return outerBytes(PathMessage.ProbeReply.BYTES_MAX, to.address());
  }

  /// Returns whether messages to an address need no credit: it has answered a challenge, or was the
  /// first one of the session, from the host of the control connection.
  ///
  /// @param from null for the control connection
  boolean isProved(@Nullable InetSocketAddress from) {
    return agent || from == null || bindings.pathOf(from) != Bindings.UNNAMED;
  }

  /// Takes the bytes of a message off the credit of an address. @return false if it has fewer
  boolean pays(int messageBytes, InetSocketAddress to) {
    Candidate candidate = bindings.candidate(to);
    return candidate != null && candidate.pays(outerBytes(messageBytes, to));
  }

  /// Answers a PROBE. If the credit of the address does not pay the answer, it leaves later: the
  /// device subtracts its wait from the round trip.
  ///
  /// @return false if the address is not challenged, and so gets no answer
  boolean answer(
      ProbeBody probe, SessionPath answering, @Nullable InetSocketAddress from, long nowNs) {
    Candidate candidate = from == null ? null : bindings.candidate(from);
    if (candidate == null) {
      return false;
    }
    long t2Us = nowNs / 1000;
    var reply =
        new PathMessage.ProbeReply(probe.number(), probe.t1Us(), t2Us, t2Us, PathMessage.NO_COUNT);
    if (candidate.pays(replyBytes(candidate))) {
      send(reply, answering, candidate);
    } else {
      candidate.owes(reply);
    }
    return true;
  }

  /// Sends the answer that has waited for the credit of an address, if that pays it now.
  void payOwed(Candidate to) {
    if (to.owes() && to.pays(replyBytes(to))) {
      SessionPath named = paths.find(bindings.pathOf(to));
      proved(to, named == null ? paths.first() : named);
    }
  }

  /// Sends the answer that has waited, because the address has answered its challenge.
  void proved(Candidate address, SessionPath path) {
    PathMessage.ProbeReply owed = address.takeOwed();
    if (owed != null) {
      send(owed, path, address);
    }
  }

  private void send(PathMessage.ProbeReply reply, SessionPath by, Candidate to) {
    by.messages.addReply(
        reply.number(), reply.t1Us(), reply.t2Us(), paths.areMany(), Carrier.UDP, to.address());
  }
}
