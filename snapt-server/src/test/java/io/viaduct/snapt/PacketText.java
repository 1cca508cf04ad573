package io.viaduct.snapt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// Builds packets and computes checksums in the simple, slow way. Follows the text of the RFCs and
/// uses no code under test.
public final class PacketText {
  /// Bytes of the payload of [#udp].
  public static final int PAYLOAD_BYTES = 200;

  private PacketText() {}

  /// Returns a UDP packet without a checksum, whose payload is one letter repeated.
  public static byte[] udp(String from, int port, String to, int toPort, char fill) {
    byte[] transport = new byte[8 + PAYLOAD_BYTES];
    ByteBuffer.wrap(transport)
        .putShort((short) port)
        .putShort((short) toPort)
        .putShort((short) transport.length);
    Arrays.fill(transport, 8, transport.length, (byte) fill);
    return packet(from, to, 17, transport);
  }

  /// Returns a UDP packet with a payload.
  public static byte[] udp(String from, int port, String to, int toPort, byte[] payload) {
    byte[] transport = new byte[8 + payload.length];
    ByteBuffer.wrap(transport)
        .putShort((short) port)
        .putShort((short) toPort)
        .putShort((short) transport.length);
    System.arraycopy(payload, 0, transport, 8, payload.length);
    return packet(from, to, 17, transport);
  }

  /// Returns UDP with a payload of four bytes, without a checksum.
  public static byte[] udpHeader(int fromPort, int toPort) {
    byte[] udp = new byte[12];
    ByteBuffer.wrap(udp).putShort((short) fromPort).putShort((short) toPort).putShort((short) 12);
    return udp;
  }

  /// Returns a packet of the device to a server on the Internet.
  public static byte[] up() {
    return udp("10.64.0.2", 5000, "203.0.113.7", 9000, 'u');
  }

  public static byte[] address(String numeric) {
    try {
      return InetAddress.getByName(numeric).getAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(numeric, e);
    }
  }

  /// Returns an IP packet with correct checksums, for a transport payload whose checksum field is
  /// 0.
  public static byte[] packet(String source, String destination, int protocol, byte[] transport) {
    byte[] from = address(source);
    byte[] to = address(destination);
    byte[] body = transport.clone();
    int at = checksumIndex(protocol);
    if (at >= 0 && at + 2 <= body.length) {
      int sum = transportChecksum(from, to, protocol, body);
      if (protocol == 17 && sum == 0) {
        sum = 0xffff;
      }
      body[at] = (byte) (sum >> 8);
      body[at + 1] = (byte) sum;
    }
    return from.length == 4 ? ipv4(from, to, protocol, body) : ipv6(from, to, protocol, body);
  }

  public static int checksumIndex(int protocol) {
    return switch (protocol) {
      case 6 -> 16;
      case 17 -> 6;
      case 1, 58 -> 2;
      default -> -1;
    };
  }

  public static int transportChecksum(byte[] from, byte[] to, int protocol, byte[] body) {
    if (protocol == 1) {
      return checksum(body);
    }
    ByteBuffer pseudo = ByteBuffer.allocate(40 + body.length);
    pseudo.put(from).put(to).putInt(body.length).putInt(protocol).put(body);
    byte[] bytes = new byte[pseudo.position()];
    pseudo.flip().get(bytes);
    return checksum(bytes);
  }

  public static int pseudoSum(byte[] from, byte[] to, int protocol, int length) {
    ByteBuffer pseudo = ByteBuffer.allocate(40);
    pseudo.put(from).put(to).putInt(length).putInt(protocol);
    byte[] bytes = new byte[pseudo.position()];
    pseudo.flip().get(bytes);
    return ~checksum(bytes) & 0xffff;
  }

  public static int checksum(byte[] bytes) {
    long sum = 0;
    for (int i = 0; i < bytes.length; i++) {
      sum += (long) (bytes[i] & 0xff) << (i % 2 == 0 ? 8 : 0);
    }
    while (sum >>> 16 != 0) {
      sum = (sum & 0xffff) + (sum >>> 16);
    }
    return (int) (~sum & 0xffff);
  }

  private static byte[] ipv4(byte[] from, byte[] to, int protocol, byte[] body) {
    ByteBuffer packet = ByteBuffer.allocate(20 + body.length);
    packet.put((byte) 0x45).put((byte) 0).putShort((short) packet.capacity());
    packet.putShort((short) 77).putShort((short) 0x4000);
    packet.put((byte) 64).put((byte) protocol).putShort((short) 0).put(from).put(to);
    byte[] header = new byte[20];
    packet.get(0, header);
    packet.putShort(10, (short) checksum(header));
    return packet.put(body).array();
  }

  private static byte[] ipv6(byte[] from, byte[] to, int protocol, byte[] body) {
    ByteBuffer packet = ByteBuffer.allocate(40 + body.length);
    packet.putInt(0x60012345).putShort((short) body.length);
    packet.put((byte) protocol).put((byte) 64).put(from).put(to);
    return packet.put(body).array();
  }

  /// Returns an ICMP error that quotes the first bytes of a packet.
  public static byte[] icmpError(String source, String destination, byte[] about, int quotedBytes) {
    boolean ipv6 = source.contains(":");
    ByteBuffer error = ByteBuffer.allocate(8 + Math.min(quotedBytes, about.length));
    error.put((byte) (ipv6 ? 1 : 3)).put((byte) 1).putShort((short) 0).putInt(0);
    error.put(about, 0, error.remaining());
    return packet(source, destination, ipv6 ? 58 : 1, error.array());
  }

  public static ByteBuf buffer(byte[] packet, int headroom) {
    return Unpooled.directBuffer(headroom + packet.length).writeZero(headroom).writeBytes(packet);
  }

  public static byte[] bytes(ByteBuf buffer, int headroom) {
    byte[] bytes = new byte[buffer.writerIndex() - headroom];
    buffer.getBytes(headroom, bytes);
    return bytes;
  }
}
