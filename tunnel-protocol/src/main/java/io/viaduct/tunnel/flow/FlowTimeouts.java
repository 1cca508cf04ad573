package io.viaduct.tunnel.flow;

/// Idle times that end a flow, ns.
public record FlowTimeouts(long udpNs, long tcpNs, long otherNs) {
  long idleNs(int protocol) {
    return switch (protocol) {
      case FlowKey.UDP -> udpNs;
      case FlowKey.TCP -> tcpNs;
      default -> otherNs;
    };
  }
}
