package io.viaduct.host.udp;

import java.net.InetSocketAddress;

/// Settings of the sockets. Made with [#at] and the methods that change one setting.
///
/// @param address local address; a wildcard accepts IPv4 and IPv6; port 0 takes any free port
/// @param bufferBytes wanted size of the kernel's buffers, each way
/// @param mark SO_MARK of sent packets, for policy routing; 0 for none
/// @param steerOffset index of the payload byte that chooses the socket (its value modulo the
///   number of sockets); [#BY_ADDRESS] leaves the choice to the kernel's hash of the addresses
/// @param peersMax most remembered addresses of peers, a power of two. With more peers, each change
///   of peer only allocates an object
public record UdpSettings(
    InetSocketAddress address, int bufferBytes, int mark, int steerOffset, int peersMax) {
  /// Leaves the choice of the socket to the kernel's hash of source and destination.
  public static final int BY_ADDRESS = -1;

  // 4 MiB: 30 ms of 1 Gbit/s, longer than an event loop is ever busy.
  private static final int BUFFER_BYTES = 4 << 20;
  private static final int PEERS = 1024;

  /// Checks each setting.
  public UdpSettings {
    if (address.isUnresolved()) {
      throw new IllegalArgumentException(
          "the address must be one of this machine, cannot resolve " + address.getHostString());
    }
    if (bufferBytes < 64 * 1024) {
      throw new IllegalArgumentException(
          "bufferBytes must be at least 65536, one burst, got " + bufferBytes);
    }
    if (steerOffset < BY_ADDRESS || steerOffset > 255) {
      throw new IllegalArgumentException("steerOffset must be from 0 to 255, got " + steerOffset);
    }
    if (Integer.bitCount(peersMax) != 1 || peersMax > 1 << 20) {
      throw new IllegalArgumentException(
          "peersMax must be a power of two up to 1048576, got " + peersMax);
    }
  }

  /// Returns the default settings for an address.
  public static UdpSettings at(InetSocketAddress address) {
    return new UdpSettings(address, BUFFER_BYTES, 0, BY_ADDRESS, PEERS);
  }

  public UdpSettings buffered(int bytes) {
    return new UdpSettings(address, bytes, mark, steerOffset, peersMax);
  }

  public UdpSettings marked(int newMark) {
    return new UdpSettings(address, bufferBytes, newMark, steerOffset, peersMax);
  }

  public UdpSettings steerByOffset(int payloadOffset) {
    return new UdpSettings(address, bufferBytes, mark, payloadOffset, peersMax);
  }

  public UdpSettings remembering(int peers) {
    return new UdpSettings(address, bufferBytes, mark, steerOffset, peers);
  }
}
