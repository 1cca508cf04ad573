package io.viaduct.testbed.sessions;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.util.SplittableRandom;

/// Packets of the devices: UDP in IPv4, 1360 bytes, incompressible. All devices have the same inner
/// address, like agents.
final class Packets {
  static final String DEVICE = "100.96.0.2";

  /// A network whose packets the SNAPT's machine drops without an answer (RFC 2544).
  static final String NOWHERE = "198.18.0.0/15";

  static final int BYTES = 1360;
  private static final String FAR = "198.18.0.1";
  private static final int HEADERS = 28;

  private Packets() {}

  /// Returns one packet in a direct buffer, at its start.
  static ByteBuf one(long seed) {
    ByteBuf packet = Unpooled.directBuffer(BYTES, BYTES);
    packet.writeShort(0x4500).writeShort(BYTES).writeInt(0x4000); // no fragments
    packet.writeShort(64 << 8 | 17).writeShort(0);
    packet.writeBytes(InetAddress.ofLiteral(DEVICE).getAddress());
    packet.writeBytes(InetAddress.ofLiteral(FAR).getAddress());
    int sum = 0;
    for (int i = 0; i < 20; i += 2) {
      sum += packet.getUnsignedShort(i);
    }
    packet.setShort(10, ~((sum & 0xffff) + (sum >>> 16)));
    // The checksum is absent, as UDP over IPv4 allows (RFC 768).
    packet.writeShort(40_000).writeShort(9).writeShort(BYTES - 20).writeShort(0);
    byte[] payload = new byte[BYTES - HEADERS];
    new SplittableRandom(seed).nextBytes(payload);
    return packet.writeBytes(payload);
  }
}
