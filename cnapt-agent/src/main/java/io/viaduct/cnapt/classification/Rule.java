package io.viaduct.cnapt.classification;

import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
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
        && asksFor(owner)
        && holds(ports, flow.remotePort())
        && holds(localPorts, flow.localPort());
  }

  /// Returns true if the rule matches flows of this process.
  boolean asksFor(@Nullable String owner) {
    return process.isEmpty() || owner != null && process.contains(owner);
  }

  /// Returns true if both rules have the same criteria; the later one could then never match.
  boolean asksTheSameAs(Rule other) {
    return protocol == other.protocol
        && process.equals(other.process)
        && ports.equals(other.ports)
        && localPorts.equals(other.localPorts);
  }

  /// Returns the flows that the rule matches, if it asks for no process.
  HeaderSet headers() {
    HeaderSet all = protocol == 0 ? HeaderSet.ALL : headers(protocol);
    return new HeaderSet(
        all.protocols(),
        all.remotes(),
        ports.isEmpty() ? all.ports() : NumberSet.ofPorts(ports),
        localPorts.isEmpty() ? all.localPorts() : NumberSet.ofPorts(localPorts));
  }

  /// Returns the flows of one protocol.
  static HeaderSet headers(int protocol) {
    return of(NumberSet.of(protocol, protocol));
  }

  /// Returns the flows of all protocols but one.
  static HeaderSet headersExceptOf(int protocol) {
    return of(HeaderSet.ALL.protocols().minus(NumberSet.of(protocol, protocol)));
  }

  private static HeaderSet of(NumberSet protocols) {
    HeaderSet all = HeaderSet.ALL;
    return new HeaderSet(protocols, all.remotes(), all.ports(), all.localPorts());
  }

  /// Returns the criteria, for a person.
  String described() {
    StringJoiner text = new StringJoiner(", ");
    if (!process.isEmpty()) {
      text.add("process " + String.join(" ", new TreeSet<>(process)));
    }
    if (protocol != 0) {
      text.add("protocol " + (protocol == FlowIdentity.TCP ? "tcp" : "udp"));
    }
    add(text, "ports ", ports);
    add(text, "local-ports ", localPorts);
    return text.toString();
  }

  private static void add(StringJoiner text, String key, List<PortRange> ranges) {
    if (!ranges.isEmpty()) {
      text.add(key + String.join(" ", ranges.stream().map(PortRange::toString).toList()));
    }
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
