package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Remembers which SNAPT the flows of a UDP port, and those to a host, have: new flows follow them.
/// Other hosts must see one address of a UDP socket (RFC 4787 REQ-1), and a server may tie a log-in
/// to an address (REQ-2). Owner: the data path's event loop.
///
/// Flows to one host follow those of their own class. Packets without ports, such as fragments,
/// follow the last flow to their host.
final class Affinities {
  /// Mapping time that RFC 4787 recommends (REQ-5).
  static final long KEPT_NS = 300_000_000_000L;

  static final int TIES_MAX = 8192;

  private sealed interface Key {
    /// A UDP port of this host.
    record Port(int port) implements Key {}

    /// A remote host.
    ///
    /// @param of null for the last flow of any class
    record Host(long high, long low, @Nullable ServiceClass of) implements Key {}
  }

  /// The tie that new flows of a port or to a host follow.
  static final class Tie {
    private TunnelEnd to;
    private int open;
    private long lastNs;

    private Tie(TunnelEnd to) {
      this.to = to;
    }
  }

  private final Map<Key, Tie> ties =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Tie> eldest) {
          return size() > TIES_MAX;
        }
      };

  /// The SNAPT that the flow of a packet follows, and the reason.
  ///
  /// @param why for a person
  record Followed(TunnelEnd end, String why) {}

  /// Returns what a new flow follows, null if it is free.
  ///
  /// @param of class of the flow
  @Nullable Followed of(FlowKey first, ServiceClass of, long nowNs) {
    if (first.isPortless()) {
      TunnelEnd last = alive(host(first, null), nowNs);
      return last == null ? null : new Followed(last, "follows the last flow to its host");
    }
    if (first.protocol() == IpFields.UDP) {
      TunnelEnd port = alive(new Key.Port(first.sourcePort()), nowNs);
      if (port != null) {
        return new Followed(port, "follows the flows of UDP port " + first.sourcePort());
      }
    }
    TunnelEnd host = alive(host(first, of), nowNs);
    return host == null
        ? null
        : new Followed(host, "follows the flows of class %s to its host".formatted(of));
  }

  private static Key host(FlowKey first, @Nullable ServiceClass of) {
    return new Key.Host(first.destinationHigh(), first.destinationLow(), of);
  }

  private @Nullable TunnelEnd alive(Key key, long nowNs) {
    Tie tie = ties.get(key);
    return tie == null || tie.open == 0 && nowNs - tie.lastNs >= KEPT_NS ? null : tie.to;
  }

  /// Records a flow that has opened, by either end.
  void opened(TunnelEnd at, FlowState flow, FlowNote note, long nowNs) {
    long high = flow.remoteHigh();
    long low = flow.remoteLow();
    note.tieOfHost = tie(new Key.Host(high, low, flow.serviceClass()), at, nowNs);
    note.tieOfAnyClass = tie(new Key.Host(high, low, null), at, nowNs);
    if (flow.protocol() == IpFields.UDP) {
      note.tieOfPort = tie(new Key.Port(flow.devicePort()), at, nowNs);
    }
  }

  private Tie tie(Key key, TunnelEnd at, long nowNs) {
    Tie tie = ties.remove(key); // behind all others: the longest unused one is dropped first
    if (tie == null || tie.to != at) {
      tie = new Tie(at); // that of another SNAPT goes on in the notes of its flows
    }
    tie.open++;
    tie.lastNs = nowNs;
    ties.put(key, tie);
    return tie;
  }

  /// Records the end of a flow.
  void ended(FlowNote note, long nowNs) {
    release(note.tieOfHost, nowNs);
    release(note.tieOfAnyClass, nowNs);
    release(note.tieOfPort, nowNs);
    note.tieOfHost = null;
    note.tieOfAnyClass = null;
    note.tieOfPort = null;
  }

  private static void release(@Nullable Tie tie, long nowNs) {
    if (tie != null) {
      tie.open--;
      tie.lastNs = nowNs;
    }
  }

  /// Forgets the ties of an end: its SNAPT has gone, and with it the address that hosts know.
  void forget(TunnelEnd gone) {
    ties.values().removeIf(each -> each.to == gone);
  }

  /// Returns the number of ports and hosts that are remembered.
  int size() {
    return ties.size();
  }
}
