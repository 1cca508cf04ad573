package io.viaduct.sip.transport;

import io.viaduct.sip.SipFlow;
import io.viaduct.sip.guard.Refusal;
import io.viaduct.sip.guard.Verdict;

/// What the sockets hand their messages to. Called on the event loop: must not block.
public interface Receiver {
  void onVerdict(Verdict verdict, SipFlow flow);

  /// A refusal that concerns no message.
  void onRefused(Refusal reason);
}
