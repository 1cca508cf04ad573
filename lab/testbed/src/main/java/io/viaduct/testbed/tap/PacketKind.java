package io.viaduct.testbed.tap;

import io.viaduct.testbed.deployment.Plans;
import java.nio.ByteBuffer;

/// Kinds of packets of an idle device, by what stands unsealed in them.
public enum PacketKind {
  PROBES("tunnel: probes and answers"),
  DATA("tunnel: data"),
  CONTROL("control connection, TCP/IP headers and acknowledgements included"),
  STUN("SIP: keep-alives by STUN"),
  SIP("SIP: requests and responses"),
  OTHER("other IP packets"),
  NOT_IP("ARP, not counted in the sums");

  private static final int TCP = 6;
  private static final int UDP = 17;
  private static final int UDP_HEADER = 8;
  private static final int DESTINATION = 2; // offset of the second port in both headers

  public final String words;

  PacketKind(String words) {
    this.words = words;
  }

  /// Returns true for an IPv4 packet of UDP or TCP from this port.
  public static boolean isFrom(byte[] packet, int port) {
    return port(packet, 0) == port;
  }

  /// Returns true for an IPv4 packet of UDP or TCP to this port.
  public static boolean isTo(byte[] packet, int port) {
    return port(packet, DESTINATION) == port;
  }

  private static int port(byte[] packet, int offset) {
    boolean isIpv4 = packet.length >= 28 && packet[0] >>> 4 == 4;
    int at = isIpv4 ? (packet[0] & 15) * 4 + offset : packet.length;
    return at + 1 < packet.length && (packet[9] == UDP || packet[9] == TCP)
        ? ByteBuffer.wrap(packet).getShort(at) & 0xFFFF
        : -1;
  }

  /// Returns the kind of an IPv4 packet; IPv6 packets of an idle device are neighbour discovery.
  public static PacketKind of(byte[] packet) {
    if (packet.length < 28 || packet[0] >>> 4 != 4) {
      return packet.length >= 40 && (packet[0] & 0xFF) >>> 4 == 6 ? OTHER : NOT_IP;
    }
    int header = (packet[0] & 15) * 4;
    if (packet.length < header + UDP_HEADER + 1) {
      return OTHER;
    }
    ByteBuffer in = ByteBuffer.wrap(packet);
    int from = in.getShort(header) & 0xFFFF;
    int to = in.getShort(header + 2) & 0xFFFF;
    int first = packet[header + UDP_HEADER] & 0xFF;
    if (packet[9] == TCP && (from == Plans.SNAPT_PORT || to == Plans.SNAPT_PORT)) {
      return CONTROL;
    }
    if (packet[9] != UDP) {
      return OTHER;
    }
    if (from == Plans.SNAPT_PORT || to == Plans.SNAPT_PORT) {
      return (first >>> 4 & 3) == 1 ? PROBES : DATA; // docs/protocol.md, section 2: the field typ
    }
    if (from == Plans.SIP_PORT || to == Plans.SIP_PORT) {
      return first < 64 ? STUN : SIP; // RFC 5626, section 8
    }
    return OTHER;
  }
}
