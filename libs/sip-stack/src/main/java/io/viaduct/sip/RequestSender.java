package io.viaduct.sip;

import io.viaduct.sip.stun.StunMessage;
import java.util.concurrent.CompletableFuture;

/// The sending half of an endpoint; [RequestHandler] is the receiving half. Thread-safe.
public interface RequestSender {
  /// Sends a request to a flow in a client transaction (RFC 3261 section 17.1.2). Over UDP the
  /// request is retransmitted until a response comes.
  ///
  /// @return the final response, or a [SipException]
  CompletableFuture<SipResponse> send(SipRequest request, SipFlow target);

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

  /// Drops the connection of a TCP flow, so that the next request opens a new one.
  void disconnect(SipFlow target);
}
