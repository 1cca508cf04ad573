package io.viaduct.tunnel.session;

import io.viaduct.tunnel.key.Sealer;

/// The most that an end takes, as it offers it in Hello or Welcome; a session has the smaller of
/// both ends' (docs/protocol.md section 5).
///
/// @param pathMtu outer IP packet in bytes, 1280 … 9000: the most that is tried
/// @param historyBytes plain text that a dictionary epoch holds, a power of two from 16 KiB to 1
///   MiB; 0: neither histories nor zstd
public record TunnelLimits(int pathMtu, int historyBytes) {
  /// Below it, a TUN device has no IPv6 (RFC 8200 section 5). Paths that carry less are found by
  /// probes.
  public static final int PATH_MTU_MIN = 1280;

  public static final int PATH_MTU_MAX = 9_000;

  /// Below, a block of a full compound might not fit into an epoch.
  static final int HISTORY_BYTES_MIN = 1 << 14;

  static final int HISTORY_BYTES_MAX = 1 << 20;

  /// 8 header, 16 tag, 8 stamp block, 1 descriptor, 1 kind, 3 flow, 1 application.
  static final int INNER_PACKET_OVERHEAD = Sealer.OVERHEAD + 8 + 1 + 1 + 3 + 1;

  public TunnelLimits {
    if (pathMtu < PATH_MTU_MIN || pathMtu > PATH_MTU_MAX) {
      throw new IllegalArgumentException(
          "path-mtu is %d, must be %d … %d bytes".formatted(pathMtu, PATH_MTU_MIN, PATH_MTU_MAX));
    }
    requireHistoryBytes(historyBytes);
  }

  static void requireHistoryBytes(int bytes) {
    if (bytes != 0
        && (Integer.bitCount(bytes) != 1
            || bytes < HISTORY_BYTES_MIN
            || bytes > HISTORY_BYTES_MAX)) {
      throw new IllegalArgumentException(
          "history-bytes is %d, must be 0, or a power of two from %d to %d"
              .formatted(bytes, HISTORY_BYTES_MIN, HISTORY_BYTES_MAX));
    }
  }

  /// What both ends take.
  ///
  /// @param peersPathMtu checked by the caller: a peer that cannot have meant it is refused
  /// @param peersHistoryBytes any number: what is too little, or none, is no history
  public TunnelLimits agreed(int peersPathMtu, int peersHistoryBytes) {
    int power = Integer.highestOneBit(Math.max(0, peersHistoryBytes));
    int smaller = Math.min(historyBytes, power);
    return new TunnelLimits(
        Math.min(pathMtu, peersPathMtu), smaller < HISTORY_BYTES_MIN ? 0 : smaller);
  }

  /// MTU of the TUN device at both ends: the largest inner packet that always fits into one
  /// datagram.
  public int tunMtu() {
    return pathMtu - TunnelTerms.IPV6_UDP_BYTES - INNER_PACKET_OVERHEAD;
  }
}
