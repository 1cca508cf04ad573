package io.viaduct.snapt.napt;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.snapt.PacketText;
import io.viaduct.tunnel.wire.IpPacket;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Fuzzes packets from devices and from the Internet, including ICMP errors with quoted packets.
/// Input: one octet (bit 0: inbound, bit 1: partial checksum), then the packet. Rules: there is no
/// exception. No byte after the packet is read or written. A refused packet is unchanged.
final class AddressTranslationFuzz {
  private static final AddressPool POOL =
      new AddressPool(Prefix.of("10.200.0.0/16"), Prefix.of("fd56::/64"));
  private static final AddressTranslation TRANSLATION =
      new AddressTranslation(
          POOL,
          5,
          InnerAddresses.of(PacketText.address("10.64.0.2"), PacketText.address("fdaa::2")));

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    if (input.length < 2) {
      return;
    }
    boolean inbound = (input[0] & 1) != 0;
    boolean partial = (input[0] & 2) != 0;
    byte[] before = Arrays.copyOfRange(input, 1, input.length);
    ByteBuf packet = Unpooled.wrappedBuffer(before.clone());
    IpPacket carrier = new IpPacket().set(packet, 0, before.length, 0, partial);
    if (before.length < AddressTranslation.headerLength(carrier)) {
      return; // as the relay does
    }
    if (inbound) {
      POOL.slotOfDestination(carrier);
    }
    Translated verdict = inbound ? TRANSLATION.inbound(carrier) : TRANSLATION.outbound(carrier);
    if (verdict != Translated.FORWARDED && !Arrays.equals(before, ByteBufUtil.getBytes(packet))) {
      throw new AssertionError(verdict + ", but the packet was changed");
    }
  }

  private static byte[] input(int flags, byte[] packet) {
    byte[] input = new byte[1 + packet.length];
    input[0] = (byte) flags;
    System.arraycopy(packet, 0, input, 1, packet.length);
    return input;
  }

  static List<byte[]> seeds() {
    byte[] sent = PacketText.packet("10.200.0.5", "203.0.113.7", 17, new byte[20]);
    byte[] sent6 = PacketText.packet("fd56::5", "2001:db8::7", 6, new byte[24]);
    byte[] device = PacketText.packet("203.0.113.7", "10.64.0.2", 17, new byte[20]);
    byte[] options = new byte[40];
    options[0] = 44;
    options[8] = 17;
    return List.of(
        input(0, PacketText.packet("10.64.0.2", "203.0.113.7", 17, new byte[20])),
        input(0, PacketText.packet("fdaa::2", "2001:db8::7", 6, new byte[24])),
        input(0, PacketText.packet("fdaa::2", "2001:db8::7", 60, options)),
        input(1, PacketText.packet("203.0.113.7", "10.200.0.5", 6, new byte[20])),
        input(1, PacketText.icmpError("203.0.113.9", "10.200.0.5", sent, 28)),
        input(1, PacketText.icmpError("2001:db8::9", "fd56::5", sent6, 60)),
        input(2, PacketText.icmpError("10.64.0.2", "203.0.113.7", device, 24)));
  }
}
