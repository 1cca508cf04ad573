package io.viaduct.tunnel.flow;

import io.viaduct.tunnel.wire.IpFields;

/// Idle times that end a flow, in ns.
public record FlowTimeouts(long udpNs, long tcpNs, long otherNs) {
  long idleNs(int protocol) {
    return switch (protocol) {
      case IpFields.UDP -> udpNs;
      case IpFields.TCP -> tcpNs;
      default -> otherNs;
    };
  }
}
