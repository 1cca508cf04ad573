package io.viaduct.cnapt.classification;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One rule of the classification table; an empty criterion matches every flow.
///
/// @param protocol IP protocol number, 0 for any
record Rule(
    String application,
    Set<String> process,
    int protocol,
    List<PortRange> ports,
    List<PortRange> localPorts) {
  boolean holds(FlowIdentity flow, @Nullable String owner) {
    return (protocol == 0 || protocol == flow.protocol())
        && (process.isEmpty() || (owner != null && process.contains(owner)))
        && holds(ports, flow.remotePort())
        && holds(localPorts, flow.localPort());
  }

  /// Returns true if both rules have the same criteria; the later one could then never match.
  boolean asksTheSameAs(Rule other) {
    return protocol == other.protocol
        && process.equals(other.process)
        && ports.equals(other.ports)
        && localPorts.equals(other.localPorts);
  }

  private static boolean holds(List<PortRange> ranges, int port) {
    if (ranges.isEmpty()) {
      return true;
    }
    for (PortRange range : ranges) {
      if (range.holds(port)) {
        return true;
      }
    }
    return false;
  }
}
