package io.viaduct.sip;

/// A request that the guard accepted, together with the flow on which it is answered.
public interface IncomingRequest {
  /// Returns the request; its topmost Via carries `received` and `rport` (RFC 3581).
  SipRequest message();

  /// Returns the flow on which the request arrived.
  SipFlow flow();

  /// Sends a response to the request's source. Retransmissions of the request get the same final
  /// response again without a call of the handler (RFC 3261 section 17.2.2).
  void answer(SipResponse response);

  /// Begins the server transaction of an INVITE (RFC 3261 section 17.2.1): the sender gets 100, a
  /// refusal is repeated over UDP until its ACK comes, and an acceptance may be followed by others.
  /// To be called once the sender is known: before, an INVITE is answered like any other request,
  /// without repetitions, which a forged source would draw upon a victim.
  ///
  /// @param onCancel runs at most once, when the sender cancels the INVITE; the CANCEL is answered
  /// @return false if too many INVITEs are open; then the handler refuses the request
  boolean begin(Runnable onCancel);

  /// Notes that the sender receives packets sent to its address, because it returned a nonce that
  /// was sent there. Answers to that source are not limited for the next moment.
  default void onSourceProved() {}

  /// Answers with a status and neither more headers nor a body.
  default void answer(int status) {
    answer(SipResponse.to(message(), status));
  }
}
