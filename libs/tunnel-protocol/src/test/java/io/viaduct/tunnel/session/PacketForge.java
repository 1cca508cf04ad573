package io.viaduct.tunnel.session;

import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.InternetChecksum;

/// Builds inner packets with right checksums, and reads the parts of packets that tests compare.
public final class PacketForge {
  public static final int TCP = 6;
  public static final int UDP = 17;
  public static final int ACK = 0x10;
  public static final int PSH = 0x08;

  /// Addresses and ports of a packet.
  public record Endpoints(byte[] source, byte[] destination, int sourcePort, int destinationPort) {
    public static Endpoints ipv4(int sourcePort, int host, int destinationPort) {
      return new Endpoints(
          new byte[] {10, 77, 0, 2},
          new byte[] {(byte) 198, 51, 100, (byte) host},
          sourcePort,
          destinationPort);
    }

    public static Endpoints ipv6(int sourcePort, int host, int destinationPort) {
      byte[] source = new byte[16];
      byte[] destination = new byte[16];
      source[0] = (byte) 0xFD;
      source[15] = 2;
      destination[0] = 0x20;
      destination[1] = 1;
      destination[15] = (byte) host;
      return new Endpoints(source, destination, sourcePort, destinationPort);
    }

    public Endpoints reversed() {
      return new Endpoints(destination, source, destinationPort, sourcePort);
    }

    boolean ipv6() {
      return source.length == 16;
    }
  }

  private PacketForge() {}

  public static byte[] udp(Endpoints to, byte[] payload) {
    byte[] packet = ip(to, UDP, 8 + payload.length, 0x1234);
    int at = packet.length - 8 - payload.length;
    BigEndian.putShort(packet, at, to.sourcePort);
    BigEndian.putShort(packet, at + 2, to.destinationPort);
    BigEndian.putShort(packet, at + 4, 8 + payload.length);
    System.arraycopy(payload, 0, packet, at + 8, payload.length);
    checksum(packet, 0);
    return packet;
  }

  public static byte[] tcp(Endpoints to, int sequence, int flags, byte[] payload) {
    return tcp(to, sequence, 0x0A0B0C0D, flags, 501, payload);
  }

  /// Builds a segment with the usual timestamps option.
  public static byte[] tcp(
      Endpoints to, int sequence, int acknowledgement, int flags, int window, byte[] payload) {
    byte[] packet = ip(to, TCP, 32 + payload.length, 0x4321);
    int at = packet.length - 32 - payload.length;
    BigEndian.putShort(packet, at, to.sourcePort);
    BigEndian.putShort(packet, at + 2, to.destinationPort);
    BigEndian.putInt(packet, at + 4, sequence);
    BigEndian.putInt(packet, at + 8, acknowledgement);
    packet[at + 12] = (byte) 0x80;
    packet[at + 13] = (byte) flags;
    BigEndian.putShort(packet, at + 14, window);
    BigEndian.putInt(packet, at + 20, 0x0101080A);
    BigEndian.putInt(packet, at + 24, 7777);
    BigEndian.putInt(packet, at + 28, 8888);
    System.arraycopy(payload, 0, packet, at + 32, payload.length);
    checksum(packet, 0);
    return packet;
  }

  public static byte[] echo(Endpoints to, int identifier, byte[] payload) {
    boolean ipv6 = to.ipv6();
    byte[] packet = ip(to, ipv6 ? 58 : 1, 8 + payload.length, 0x99);
    int at = packet.length - 8 - payload.length;
    packet[at] = (byte) (ipv6 ? 128 : 8);
    BigEndian.putShort(packet, at + 4, identifier);
    System.arraycopy(payload, 0, packet, at + 8, payload.length);
    int sum =
        InternetChecksum.of(
            InternetChecksum.sum(packet, at, 8 + payload.length, ipv6 ? pseudo(packet) : 0));
    BigEndian.putShort(packet, at + 2, sum);
    return packet;
  }

  private static byte[] ip(Endpoints to, int protocol, int transportBytes, int identification) {
    if (to.ipv6()) {
      byte[] packet = new byte[40 + transportBytes];
      BigEndian.putInt(packet, 0, 0x6000_0000 | 0xABCDE);
      BigEndian.putShort(packet, 4, transportBytes);
      packet[6] = (byte) protocol;
      packet[7] = 64;
      System.arraycopy(to.source, 0, packet, 8, 16);
      System.arraycopy(to.destination, 0, packet, 24, 16);
      return packet;
    }
    byte[] packet = new byte[20 + transportBytes];
    packet[0] = 0x45;
    BigEndian.putShort(packet, 2, packet.length);
    BigEndian.putShort(packet, 4, identification);
    packet[6] = 0x40;
    packet[8] = 64;
    packet[9] = (byte) protocol;
    System.arraycopy(to.source, 0, packet, 12, 4);
    System.arraycopy(to.destination, 0, packet, 16, 4);
    ipChecksum(packet);
    return packet;
  }

  public static int headerBytes(byte[] packet) {
    return packet[0] >>> 4 == 4 ? (packet[0] & 0xF) * 4 : 40;
  }

  public static int protocol(byte[] packet) {
    return packet[0] >>> 4 == 4 ? packet[9] : packet[6];
  }

  /// Returns the offset of the payload of a TCP or UDP packet.
  public static int payloadAt(byte[] packet) {
    int ip = headerBytes(packet);
    return protocol(packet) == TCP ? ip + (packet[ip + 12] >>> 4 & 0xF) * 4 : ip + 8;
  }

  public static void ipChecksum(byte[] packet) {
    if (packet[0] >>> 4 == 4) {
      BigEndian.putShort(packet, 10, 0);
      BigEndian.putShort(
          packet, 10, InternetChecksum.of(InternetChecksum.sum(packet, 0, headerBytes(packet), 0)));
    }
  }

  private static long pseudo(byte[] packet) {
    int transport = packet.length - headerBytes(packet);
    long initial = protocol(packet) + (long) transport;
    return packet[0] >>> 4 == 4
        ? InternetChecksum.sum(packet, 12, 8, initial)
        : InternetChecksum.sum(packet, 8, 32, initial);
  }

  /// Writes the transport checksum; `mode` 0: complete, 1: partial, as the kernel leaves it to
  /// offload.
  public static byte[] checksum(byte[] packet, int mode) {
    int at = headerBytes(packet);
    int field = at + (protocol(packet) == TCP ? 16 : 6);
    BigEndian.putShort(packet, field, 0);
    int value =
        mode == 1
            ? InternetChecksum.fold(pseudo(packet))
            : InternetChecksum.of(
                InternetChecksum.sum(packet, at, packet.length - at, pseudo(packet)));
    BigEndian.putShort(packet, field, value == 0 && protocol(packet) == UDP ? 0xFFFF : value);
    return packet;
  }

  /// Returns the packet as a network sees it: checksum complete, IPv4 identification zero.
  public static byte[] canonical(byte[] packet, boolean checksumPartial) {
    byte[] copy = packet.clone();
    if (checksumPartial) {
      checksum(copy, 0);
    }
    if (copy[0] >>> 4 == 4) {
      BigEndian.putShort(copy, 4, 0);
      ipChecksum(copy);
    }
    return copy;
  }
}
