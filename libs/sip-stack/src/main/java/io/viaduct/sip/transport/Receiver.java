package io.viaduct.sip.transport;

import io.viaduct.sip.SipFlow;
import io.viaduct.sip.guard.Refusal;
import io.viaduct.sip.guard.Verdict;

/// Receives the messages of the sockets. Called on the event loop, so it must not block.
public interface Receiver {
  void onVerdict(Verdict verdict, SipFlow flow);

  /// Called for a refusal that concerns no message.
  void onRefused(Refusal reason);

  /// Returns whether a connection must stay open though nothing comes by it.
  default boolean needs(SipFlow connection) {
    return false;
  }
}
