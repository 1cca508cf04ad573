package io.viaduct.tunnel.terms;

import io.viaduct.tunnel.compound.Record;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Sealer;
import io.viaduct.tunnel.key.SessionSecret;

/// Terms of one session that the handshake has settled, and the packet sizes that follow from them.
///
/// @param secret belongs to its creator, which wipes it once the session has its keys
/// @param peerReceiverIndex number by which the peer finds this session, from Hello or Welcome
/// @param limits the smaller limits of both ends
/// @param outerIpv6 true if datagrams travel in IPv6 (48 bytes of outer headers instead of 28)
public record TunnelTerms(
    AeadAlgorithm aead,
    SessionSecret secret,
    int peerReceiverIndex,
    TunnelLimits limits,
    boolean outerIpv6) {
  public static final int IPV4_UDP_BYTES = 28;
  public static final int IPV6_UDP_BYTES = 48;

  /// Returns the bytes of the outer IP and UDP headers of one datagram.
  public int outerHeaderBytes() {
    return outerIpv6 ? IPV6_UDP_BYTES : IPV4_UDP_BYTES;
  }

  /// Returns the largest inner packet that always fits into an outer IP packet of this size.
  public int innerMtu(int size) {
    return size - outerHeaderBytes() - TunnelLimits.INNER_PACKET_OVERHEAD;
  }

  /// Returns the largest body of a compound in an outer IP packet of this size. A stamp block
  /// always fits in front of it.
  public int bodyBytesMax(int size) {
    return size - bodyOverhead();
  }

  /// Returns the body size at which a compound closes that may fill this percentage of the packet.
  public int bodyBytesTarget(int size, int percent) {
    return size * percent / 100 - bodyOverhead();
  }

  private int bodyOverhead() {
    return outerHeaderBytes() + Sealer.OVERHEAD + Record.STAMP_BLOCK_BYTES;
  }
}
