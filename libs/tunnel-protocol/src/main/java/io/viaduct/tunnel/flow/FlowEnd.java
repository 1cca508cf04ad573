package io.viaduct.tunnel.flow;

/// Reason why a flow ended.
public enum FlowEnd {
  /// TCP: FIN in both directions, and 2 s for the last acknowledgement.
  FINISHED,
  /// TCP: RST.
  RESET,
  IDLE,
  /// The end that opened the flow has ended it.
  PEER_ENDED,
  /// The five-tuple or the id now stands for another flow.
  REPLACED,
  SESSION_CLOSED
}
