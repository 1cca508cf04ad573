package io.viaduct.testbed.tap;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;

/// Finds the packets from and to some hosts, of IPv4 and IPv6.
///
/// @param addresses in network byte order
public record PacketHosts(Set<ByteBuffer> addresses) {
  // Offsets of the source address in the headers (RFC 791, RFC 8200), and lengths of addresses.
  private static final int SOURCE_4 = 12;
  private static final int BYTES_4 = 4;
  private static final int SOURCE_6 = 8;
  private static final int BYTES_6 = 16;

  /// @param literals addresses as text
  public static PacketHosts of(Collection<String> literals) {
    return new PacketHosts(
        literals.stream()
            .map(each -> ByteBuffer.wrap(InetAddress.ofLiteral(each).getAddress()))
            .collect(Collectors.toUnmodifiableSet()));
  }

  /// Returns whether an IP packet comes from one of the hosts, or goes to one.
  public boolean isAny(byte[] packet) {
    int version = packet.length == 0 ? 0 : (packet[0] & 0xFF) >>> 4;
    return switch (version) {
      case 4 -> isAny(packet, SOURCE_4, BYTES_4);
      case 6 -> isAny(packet, SOURCE_6, BYTES_6);
      default -> false;
    };
  }

  private boolean isAny(byte[] packet, int source, int bytes) {
    return packet.length >= source + 2 * bytes
        && (addresses.contains(ByteBuffer.wrap(packet, source, bytes))
            || addresses.contains(ByteBuffer.wrap(packet, source + bytes, bytes)));
  }
}
