package io.viaduct.cnapt.peer;

import io.viaduct.cnapt.classification.AddressPrefix;
import io.viaduct.cnapt.classification.AddressRanges;
import io.viaduct.cnapt.tunnel.Admission;
import io.viaduct.tunnel.restore.InnerPacketSink;
import java.util.List;

/// Lets only those packets of a peer come out of the tunnel whose source is in its prefixes, so
/// that a peer cannot speak for other hosts. Owner: the data path's event loop.
public final class PeerSources implements Admission {
  private final AddressRanges allowed;
  private volatile long refused; // written by the event loop

  /// @param prefixes the peer's networks
  public PeerSources(List<AddressPrefix> prefixes) {
    allowed = new AddressRanges(prefixes);
  }

  @Override
  public InnerPacketSink before(InnerPacketSink sink) {
    return (flow, packet) -> {
      if (allowed.haveSource(packet)) {
        sink.packet(flow, packet);
      } else {
        refused++;
      }
    };
  }

  /// Returns the number of packets that were refused; any thread may call this.
  public long refused() {
    return refused;
  }
}
