package io.viaduct.tunnel.session;

import io.viaduct.tunnel.compound.Record;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Sealer;
import io.viaduct.tunnel.key.SessionSecret;

/// What a handshake has settled for one session, and what follows from it for the size of each
/// packet.
///
/// @param secret stays its maker's, who wipes it once the session has its keys
/// @param peerReceiverIndex the peer's name for this session, from Hello or Welcome
/// @param limits the smaller of both ends'
/// @param outerIpv6 whether datagrams travel in IPv6 (48 bytes of outer headers instead of 28)
public record TunnelTerms(
    AeadAlgorithm aead,
    SessionSecret secret,
    int peerReceiverIndex,
    TunnelLimits limits,
    boolean outerIpv6) {
  public static final int IPV4_UDP_BYTES = 28;
  public static final int IPV6_UDP_BYTES = 48;

  /// Bytes that the outer IP and UDP headers cost per datagram.
  public int outerHeaderBytes() {
    return outerIpv6 ? IPV6_UDP_BYTES : IPV4_UDP_BYTES;
  }

  /// Largest inner packet that always fits into one datagram of so many bytes.
  int innerMtu(int size) {
    return size - outerHeaderBytes() - TunnelLimits.INNER_PACKET_OVERHEAD;
  }

  /// Largest body of a compound in an outer IP packet of so many bytes: a stamp block always fits
  /// in front of it.
  int bodyBytesMax(int size) {
    return size - bodyOverhead();
  }

  /// Body size at which a compound closes that may fill such a share of the packet.
  int bodyBytesTarget(int size, int percent) {
    return size * percent / 100 - bodyOverhead();
  }

  private int bodyOverhead() {
    return outerHeaderBytes() + Sealer.OVERHEAD + Record.STAMP_BLOCK_BYTES;
  }
}
