package io.viaduct.sip;

/// A request that the guard accepted, with the way back to its sender.
public interface IncomingRequest {
  /// The request; its topmost Via carries `received` and `rport` as RFC 3581 asks.
  SipRequest message();

  /// Where it came from.
  SipFlow flow();

  /// Sends a response to where the request came from. Retransmissions of the request get the same
  /// final response again (RFC 3261 section 17.2.2) without the handler's doing.
  void answer(SipResponse response);

  /// Notes that the sender receives what is sent to its address, because it brought a nonce back
  /// that went there. Answers to that source are not limited for the next moment.
  default void onSourceProved() {}

  /// Answers with a status and no more.
  default void answer(int status) {
    answer(SipResponse.to(message(), status));
  }
}
