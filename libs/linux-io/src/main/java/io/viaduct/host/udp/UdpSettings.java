package io.viaduct.host.udp;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.regex.Pattern;

/// Settings of the sockets. Made with [#at] and the methods that change one setting.
///
/// @param address local address; a wildcard accepts IPv4 and IPv6; port 0 takes any free port
/// @param bufferBytes wanted size of the kernel's buffers, each way
/// @param mark SO_MARK of sent packets, for policy routing; 0 for none
/// @param steerOffset index of the payload byte that chooses the socket (its value modulo the
///   number of sockets); [#BY_ADDRESS] leaves the choice to the kernel's hash of the addresses
/// @param peersMax most remembered addresses of peers, a power of two. With more peers, each change
///   of peer only allocates an object
/// @param device interface to which the sockets are bound (SO_BINDTODEVICE): they send and receive
///   by it only. If empty, the main table decides
/// @param answersFromArrival true: with a wildcard address, datagrams to a peer leave from the
///   local address that its last datagram came to. Otherwise the kernel's route selects their
///   source
public record UdpSettings(
    InetSocketAddress address,
    int bufferBytes,
    int mark,
    int steerOffset,
    int peersMax,
    Optional<String> device,
    boolean answersFromArrival) {
  /// Leaves the choice of the socket to the kernel's hash of source and destination.
  public static final int BY_ADDRESS = -1;

  // 4 MiB: 30 ms of 1 Gbit/s, longer than an event loop is ever busy.
  private static final int BUFFER_BYTES = 4 << 20;
  private static final int PEERS = 1024;

  // dev_valid_name of net/core/dev.c; IFNAMSIZ is 16, including the terminating zero.
  private static final Pattern DEVICE = Pattern.compile("[^/:\\s\\x00]{1,15}");

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
    if (device.isPresent() && !DEVICE.matcher(device.get()).matches()) {
      throw new IllegalArgumentException(
          "device must be the name of an interface, 1 to 15 characters without '/', ':' and"
              + " spaces, got '"
              + device.get()
              + "'");
    }
  }

  /// Returns the default settings for an address.
  public static UdpSettings at(InetSocketAddress address) {
    return new UdpSettings(address, BUFFER_BYTES, 0, BY_ADDRESS, PEERS, Optional.empty(), false);
  }

  /// Returns whether the sockets ask the kernel for the local address of each datagram. A socket
  /// with one address answers from it anyway.
  boolean namesArrivals() {
    return answersFromArrival && address.getAddress().isAnyLocalAddress();
  }

  public UdpSettings buffered(int bytes) {
    return new UdpSettings(address, bytes, mark, steerOffset, peersMax, device, answersFromArrival);
  }

  public UdpSettings marked(int newMark) {
    return new UdpSettings(
        address, bufferBytes, newMark, steerOffset, peersMax, device, answersFromArrival);
  }

  public UdpSettings steerByOffset(int payloadOffset) {
    return new UdpSettings(
        address, bufferBytes, mark, payloadOffset, peersMax, device, answersFromArrival);
  }

  public UdpSettings remembering(int peers) {
    return new UdpSettings(
        address, bufferBytes, mark, steerOffset, peers, device, answersFromArrival);
  }

  /// Returns settings for sockets that are bound to one interface.
  public UdpSettings onDevice(String interfaceName) {
    Optional<String> only = Optional.of(interfaceName);
    return new UdpSettings(
        address, bufferBytes, mark, steerOffset, peersMax, only, answersFromArrival);
  }

  /// Returns settings for sockets that answer from the address that was asked.
  public UdpSettings answeringFromArrival() {
    return new UdpSettings(address, bufferBytes, mark, steerOffset, peersMax, device, true);
  }
}
