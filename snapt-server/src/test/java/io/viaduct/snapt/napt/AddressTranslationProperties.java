package io.viaduct.snapt.napt;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.viaduct.snapt.PacketText;
import io.viaduct.tunnel.wire.IpPacket;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/// Checks that each rewritten packet equals the packet that the slow oracle builds with the new
/// address.
class AddressTranslationProperties {
  private static final int HEADROOM = 12;
  private static final AddressPool POOL =
      new AddressPool(Prefix.of("10.200.0.0/16"), Prefix.of("fd56::/64"));
  private static final int[] PROTOCOLS = {6, 17, 1, 58, 132};

  private static String device(boolean ipv6) {
    return ipv6 ? "fdaa::2" : "10.64.0.2";
  }

  private static String pool(boolean ipv6, int slot) {
    return ipv6 ? POOL.ipv6().address(slot) : POOL.ipv4().address(slot);
  }

  private static String server(boolean ipv6, int host) {
    return ipv6 ? "2001:db8::" + Integer.toHexString(host) : "203.0.113." + (host & 0xff);
  }

  private static AddressTranslation translation(int slot) {
    return new AddressTranslation(
        POOL,
        slot,
        InnerAddresses.of(PacketText.address("10.64.0.2"), PacketText.address("fdaa::2")));
  }

  private static byte[] transport(int protocol, byte[] payload, boolean ipv6) {
    int known = protocol == 1 && ipv6 ? 58 : protocol == 58 && !ipv6 ? 1 : protocol;
    byte[] transport = new byte[Math.max(payload.length, 24)];
    System.arraycopy(payload, 0, transport, 0, payload.length);
    int at = PacketText.checksumIndex(known);
    if (at >= 0) {
      transport[at] = 0;
      transport[at + 1] = 0;
    }
    if (known == 1 || known == 58) {
      transport[0] = (byte) (known == 1 ? 8 : 128);
    }
    return transport;
  }

  private static int protocol(int index, boolean ipv6) {
    int protocol = PROTOCOLS[index];
    return protocol == 1 && ipv6 ? 58 : protocol == 58 && !ipv6 ? 1 : protocol;
  }

  @Property(tries = 500)
  void whatLeavesAndComesBackIsWhatTheOracleBuilds(
      @ForAll boolean ipv6,
      @ForAll @IntRange(min = 2, max = 65_534) int slot,
      @ForAll @IntRange(min = 1, max = 250) int host,
      @ForAll @IntRange(min = 0, max = 4) int kind,
      @ForAll @Size(max = 200) byte[] payload) {
    int protocol = protocol(kind, ipv6);
    byte[] transport = transport(protocol, payload, ipv6);
    byte[] inside = PacketText.packet(device(ipv6), server(ipv6, host), protocol, transport);
    byte[] outside = PacketText.packet(pool(ipv6, slot), server(ipv6, host), protocol, transport);
    assertThat(outbound(slot, inside)).containsExactly(outside);

    byte[] answer = PacketText.packet(server(ipv6, host), pool(ipv6, slot), protocol, transport);
    byte[] delivered = PacketText.packet(server(ipv6, host), device(ipv6), protocol, transport);
    assertThat(inbound(slot, answer)).containsExactly(delivered);
  }

  @Property(tries = 300)
  void theQuotedPacketOfAnErrorIsTranslatedToo(
      @ForAll boolean ipv6,
      @ForAll @IntRange(min = 2, max = 65_534) int slot,
      @ForAll @IntRange(min = 0, max = 4) int kind,
      @ForAll @IntRange(min = 8, max = 120) int quotedTransport,
      @ForAll @Size(min = 24, max = 120) byte[] payload) {
    int protocol = protocol(kind, ipv6);
    // A checksum that is cut in half cannot be updated by a difference, and cannot be verified
    // either.
    Assume.that(quotedTransport != PacketText.checksumIndex(protocol) + 1);
    byte[] transport = transport(protocol, payload, ipv6);
    int quoted = (ipv6 ? 40 : 20) + quotedTransport;
    byte[] sent = PacketText.packet(pool(ipv6, slot), server(ipv6, 7), protocol, transport);
    byte[] asked = PacketText.packet(device(ipv6), server(ipv6, 7), protocol, transport);
    assertThat(inbound(slot, PacketText.icmpError(server(ipv6, 9), pool(ipv6, slot), sent, quoted)))
        .containsExactly(PacketText.icmpError(server(ipv6, 9), device(ipv6), asked, quoted));

    byte[] received = PacketText.packet(server(ipv6, 7), device(ipv6), protocol, transport);
    byte[] known = PacketText.packet(server(ipv6, 7), pool(ipv6, slot), protocol, transport);
    assertThat(
            outbound(slot, PacketText.icmpError(device(ipv6), server(ipv6, 7), received, quoted)))
        .containsExactly(PacketText.icmpError(pool(ipv6, slot), server(ipv6, 7), known, quoted));
  }

  @Property(tries = 200)
  void aPartialChecksumStaysTheSumOfThePseudoHeader(
      @ForAll boolean ipv6,
      @ForAll @IntRange(min = 2, max = 65_534) int slot,
      @ForAll boolean tcp,
      @ForAll @Size(min = 24, max = 200) byte[] transport) {
    int protocol = tcp ? 6 : 17;
    ByteBuf packet =
        PacketText.buffer(
            PacketText.packet(device(ipv6), server(ipv6, 7), protocol, transport), HEADROOM);
    int field = HEADROOM + (ipv6 ? 40 : 20) + PacketText.checksumIndex(protocol);
    int length = packet.writerIndex() - HEADROOM;
    packet.setShort(field, sum(device(ipv6), server(ipv6, 7), protocol, transport.length));
    assertThat(translation(slot).outbound(new IpPacket().set(packet, HEADROOM, length, 0, true)))
        .isEqualTo(Translated.FORWARDED);
    assertThat(packet.getUnsignedShort(field))
        .isEqualTo(sum(pool(ipv6, slot), server(ipv6, 7), protocol, transport.length));
    packet.release();
  }

  private static int sum(String from, String to, int protocol, int length) {
    return PacketText.pseudoSum(PacketText.address(from), PacketText.address(to), protocol, length);
  }

  @Property(tries = 2000)
  void noBytesMakeItReadOrWriteBeyondThePacket(
      @ForAll @Size(max = 120) byte[] bytes,
      @ForAll boolean ipv6,
      @ForAll boolean partial,
      @ForAll boolean out) {
    if (bytes.length > 0) {
      bytes[0] = (byte) ((ipv6 ? 0x60 : 0x40) | bytes[0] & 0xf);
    }
    ByteBuf packet = PacketText.buffer(bytes, HEADROOM);
    AddressTranslation translation = translation(2);
    Translated verdict =
        out
            ? translation.outbound(new IpPacket().set(packet, HEADROOM, bytes.length, 0, partial))
            : translation.inbound(new IpPacket().set(packet, HEADROOM, bytes.length, 0, partial));
    assertThat(verdict).isNotNull();
    packet.release();
  }

  private static byte[] outbound(int slot, byte[] inside) {
    ByteBuf packet = PacketText.buffer(inside, HEADROOM);
    assertThat(translation(slot).outbound(new IpPacket().set(packet, HEADROOM, inside.length)))
        .isEqualTo(Translated.FORWARDED);
    byte[] outside = PacketText.bytes(packet, HEADROOM);
    packet.release();
    return outside;
  }

  private static byte[] inbound(int slot, byte[] outside) {
    ByteBuf packet = PacketText.buffer(outside, HEADROOM);
    assertThat(POOL.slotOfDestination(new IpPacket().set(packet, HEADROOM, outside.length)))
        .isEqualTo(slot);
    assertThat(translation(slot).inbound(new IpPacket().set(packet, HEADROOM, outside.length)))
        .isEqualTo(Translated.FORWARDED);
    byte[] inside = PacketText.bytes(packet, HEADROOM);
    packet.release();
    return inside;
  }
}
