package io.viaduct.sip;

/// The sender's handle on an INVITE that it has sent to one target ([RequestSender#invite]).
/// Thread-safe.
public interface InviteBranch {
  /// Stands for an INVITE that could not be sent.
  InviteBranch NONE = _ -> {};

  /// Receives the responses to the INVITE, without the sender's Via. The calls may come on
  /// different threads, and a late provisional response may come after a final one.
  interface Events {
    /// Called for each provisional response but 100, once for a refusal, and for each acceptance.
    /// Acceptances may repeat, because the other end retransmits them and because a proxy behind
    /// the target may have forked.
    void onResponse(SipResponse response);

    /// Called instead of a final response.
    void onFailure(SipException failure);
  }

  /// Asks the target to give the INVITE up (RFC 3261 section 9.1). The CANCEL waits for the first
  /// response. The final response still comes by [Events]. No effect after a final response.
  ///
  /// @param reason value of the CANCEL's header Reason (RFC 3326), or empty
  void cancel(String reason);
}
