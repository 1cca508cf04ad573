package io.viaduct.tunnel.flow;

import io.viaduct.tunnel.wire.IpFields;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/// The identity of a flow, as the device sees it. Addresses are two longs, IPv4 as IPv4-mapped IPv6
/// (RFC 4291 §2.5.5.2).
///
/// @param protocol IANA number
/// @param devicePort port of the device, or the identifier of an ICMP echo
/// @param remotePort likewise of the other end
public record FlowTuple(
    int protocol,
    long deviceHigh,
    long deviceLow,
    long remoteHigh,
    long remoteLow,
    int devicePort,
    int remotePort) {
  private static final long IPV4_MAPPED_WORD = FlowKey.IPV4_MAPPED >>> 32;

  /// Returns the identity of a flow.
  public static FlowTuple of(FlowState flow) {
    return new FlowTuple(
        flow.protocol(),
        flow.deviceHigh(),
        flow.deviceLow(),
        flow.remoteHigh(),
        flow.remoteLow(),
        flow.devicePort(),
        flow.remotePort());
  }

  /// Returns the identity of a flow of one address family.
  ///
  /// @param device 4 or 16 bytes
  /// @param remote as many
  public static FlowTuple of(
      int protocol, byte[] device, byte[] remote, int devicePort, int remotePort) {
    return new FlowTuple(
        protocol, high(device), low(device), high(remote), low(remote), devicePort, remotePort);
  }

  private static long high(byte[] address) {
    return address.length == Integer.BYTES ? 0 : ByteBuffer.wrap(address).getLong(0);
  }

  private static long low(byte[] address) {
    return address.length == Integer.BYTES
        ? FlowKey.IPV4_MAPPED | Integer.toUnsignedLong(ByteBuffer.wrap(address).getInt(0))
        : ByteBuffer.wrap(address).getLong(Long.BYTES);
  }

  /// Returns whether an address is an IPv4-mapped one.
  public static boolean isIpv4(long high, long low) {
    return high == 0 && low >>> 32 == IPV4_MAPPED_WORD;
  }

  /// Returns the bytes of an address: 4 or 16.
  public static byte[] bytes(long high, long low) {
    return isIpv4(high, low)
        ? ByteBuffer.allocate(Integer.BYTES).putInt((int) low).array()
        : ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array();
  }

  /// Returns an address.
  public static InetAddress address(long high, long low) {
    try {
      return InetAddress.getByAddress(bytes(high, low));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address of 4 or 16 bytes is always one", e);
    }
  }

  /// Returns the key of a packet of this flow from the device.
  public FlowKey key() {
    FlowKey key = new FlowKey();
    key.version = isIpv4(deviceHigh, deviceLow) ? 4 : 6;
    key.protocol = protocol;
    key.sourceHigh = deviceHigh;
    key.sourceLow = deviceLow;
    key.destinationHigh = remoteHigh;
    key.destinationLow = remoteLow;
    key.sourcePort = devicePort;
    key.destinationPort = remotePort;
    key.portless = protocol != IpFields.TCP && protocol != IpFields.UDP;
    return key;
  }
}
