package io.viaduct.sip;

import io.viaduct.sip.stun.StunMessage;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// The sending half of an endpoint; [RequestHandler] is the receiving half. Thread-safe.
public interface RequestSender {
  /// Sends a request other than INVITE and ACK to a flow in a client transaction (RFC 3261 section
  /// 17.1.2). Over UDP the request is retransmitted until a response comes.
  ///
  /// @return the final response, or a [SipException]
  default CompletableFuture<SipResponse> send(SipRequest request, SipFlow target) {
    return send(request, target, "");
  }

  /// Sends a request as above.
  ///
  /// @param mark ends the branch of this endpoint's Via, so that a proxy recognises a request that
  ///   returns to it (RFC 3261 section 16.6 step 8); characters of a token, or empty
  CompletableFuture<SipResponse> send(SipRequest request, SipFlow target, String mark);

  /// Sends an INVITE to a flow in a client transaction (RFC 3261 section 17.1.1, RFC 6026).
  /// Refusals are acknowledged here; the ACK of an acceptance is the caller's.
  ///
  /// @param mark as in [#send(SipRequest, SipFlow, String)]
  InviteBranch invite(SipRequest request, SipFlow target, String mark, InviteBranch.Events events);

  /// Sends an ACK for an acceptance. It has no transaction (RFC 3261 section 17.1): it is sent
  /// once, and lost if the target cannot be reached.
  void sendAck(SipRequest ack, SipFlow target);

  /// Sends a STUN binding request by a UDP flow, which keeps the binding of a NAT (RFC 5626 section
  /// 4.4.2).
  ///
  /// @return the peer's answer, or a [SipException]
  CompletableFuture<StunMessage.Success> keepAlive(SipFlow target);

  /// Returns the `host:port` that this endpoint writes into Via and Contact for a peer.
  HostPort sentBy(SipFlow target);

  /// Returns true if the TCP connection of a flow is open. Always true for UDP, which has no
  /// connection.
  boolean isConnected(SipFlow target);

  /// Returns the common name of the certificate that the peer of a flow has shown and an authority
  /// of the listener has issued; empty for all flows but those of TLS.
  default Optional<String> peerName(SipFlow target) {
    return Optional.empty();
  }

  /// Drops the connection of a TCP flow, so that the next request opens a new one.
  void disconnect(SipFlow target);
}
