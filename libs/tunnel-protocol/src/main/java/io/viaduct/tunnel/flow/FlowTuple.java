package io.viaduct.tunnel.flow;

import io.viaduct.tunnel.wire.IpFields;
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

  /// Returns the key of a packet of this flow from the device.
  FlowKey key() {
    FlowKey key = new FlowKey();
    key.version = deviceHigh == 0 && deviceLow >>> 32 == 0xFFFF ? 4 : 6;
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
