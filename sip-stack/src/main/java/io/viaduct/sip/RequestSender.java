package io.viaduct.sip;

import java.util.concurrent.CompletableFuture;

/// The sending half of an endpoint, as [RequestHandler] is what stands behind the receiving one.
/// Thread-safe.
public interface RequestSender {
  /// Sends a request to a flow, in a client transaction (RFC 3261 section 17.1.2): over UDP it is
  /// retransmitted until an answer comes.
  ///
  /// @return the final response, or a [SipException]
  CompletableFuture<SipResponse> send(SipRequest request, SipFlow target);

  /// `host:port` by which this endpoint is named towards a peer.
  HostPort sentBy(SipFlow target);

  /// Whether the connection of a TCP flow stands; a UDP flow tells only by an answer.
  boolean stands(SipFlow target);

  /// Forgets the connection of a TCP flow, so that the next request opens another.
  void disconnect(SipFlow target);
}
