package io.viaduct.tunnel.wire;

/// Positions of the fields of IP, TCP, UDP and ICMP headers, in bytes from the begin of their
/// header, and the numbers in them (RFC 791, RFC 8200, RFC 9293, RFC 768, RFC 792).
public final class IpFields {
  public static final int ICMP = 1;
  public static final int TCP = 6;
  public static final int UDP = 17;
  public static final int ICMPV6 = 58;

  /// Bytes of an IPv4 header without options.
  public static final int IPV4_HEADER = 20;

  public static final int IPV4_TOTAL_LENGTH = 2;
  public static final int IPV4_IDENTIFICATION = 4;
  public static final int IPV4_FRAGMENT = 6;
  public static final int IPV4_TTL = 8;
  public static final int IPV4_PROTOCOL = 9;
  public static final int IPV4_CHECKSUM = 10;
  public static final int IPV4_SOURCE = 12;
  public static final int IPV4_DESTINATION = 16;

  /// Flags and mask of [#IPV4_FRAGMENT].
  public static final int DONT_FRAGMENT = 0x4000;

  public static final int MORE_FRAGMENTS = 0x2000;
  public static final int FRAGMENT_OFFSET = 0x1FFF;

  /// Value of the ECN field that marks a packet (RFC 3168 §5).
  public static final int CONGESTION_EXPERIENCED = 3;

  /// Bytes of an IPv6 header without extension headers.
  public static final int IPV6_HEADER = 40;

  public static final int IPV6_PAYLOAD_LENGTH = 4;
  public static final int IPV6_NEXT_HEADER = 6;
  public static final int IPV6_HOP_LIMIT = 7;
  public static final int IPV6_SOURCE = 8;
  public static final int IPV6_DESTINATION = 24;

  /// Packet size that every IPv6 link must carry (RFC 8200 §5), bytes.
  public static final int IPV6_MTU_MIN = 1280;

  /// Extension headers of IPv6 that have a length field or a fixed length.
  public static final int HOP_BY_HOP = 0;

  public static final int ROUTING = 43;
  public static final int FRAGMENT = 44;
  public static final int DESTINATION_OPTIONS = 60;

  /// Ports of TCP and UDP.
  public static final int SOURCE_PORT = 0;

  public static final int DESTINATION_PORT = 2;

  /// Bytes of a TCP header without options.
  public static final int TCP_HEADER = 20;

  public static final int TCP_SEQUENCE = 4;
  public static final int TCP_ACKNOWLEDGEMENT = 8;

  /// Position of the header's length, in the upper four bits as a number of 32-bit words.
  public static final int TCP_DATA_OFFSET = 12;

  public static final int TCP_FLAGS = 13;
  public static final int TCP_WINDOW = 14;
  public static final int TCP_CHECKSUM = 16;
  public static final int TCP_URGENT = 18;

  public static final int FIN = 0x01;
  public static final int SYN = 0x02;
  public static final int RST = 0x04;
  public static final int PSH = 0x08;
  public static final int ACK = 0x10;
  public static final int CWR = 0x80;

  /// First word of a timestamps option with its usual padding: NOP, NOP, kind 8, length 10.
  public static final int TIMESTAMPS_OPTION = 0x0101_080A;

  public static final int UDP_HEADER = 8;
  public static final int UDP_LENGTH = 4;
  public static final int UDP_CHECKSUM = 6;

  public static final int ICMP_HEADER = 8;
  public static final int ICMP_CHECKSUM = 2;
  public static final int ICMP_IDENTIFIER = 4;

  private IpFields() {}
}
