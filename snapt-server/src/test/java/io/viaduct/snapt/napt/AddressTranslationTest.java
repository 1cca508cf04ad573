package io.viaduct.snapt.napt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.viaduct.snapt.PacketText;
import io.viaduct.tunnel.wire.IpPacket;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AddressTranslationTest {
  private static final AddressPool POOL =
      new AddressPool(Prefix.of("10.200.0.0/16"), Prefix.of("fd56::/64"));
  private final AddressTranslation translation =
      new AddressTranslation(
          POOL,
          5,
          InnerAddresses.of(PacketText.address("10.64.0.2"), PacketText.address("fdaa::2")));

  private Translated outbound(byte[] bytes) {
    ByteBuf packet = PacketText.buffer(bytes, 0);
    byte[] before = PacketText.bytes(packet, 0);
    Translated verdict = translation.outbound(new IpPacket().set(packet, 0, bytes.length));
    if (verdict != Translated.FORWARDED) {
      assertThat(PacketText.bytes(packet, 0)).as("a refused packet is untouched").isEqualTo(before);
    }
    packet.release();
    return verdict;
  }

  private static byte[] udp(String from, String to) {
    return PacketText.packet(from, to, 17, new byte[20]);
  }

  @Test
  void aSourceThatIsNotTheSessionsIsRefused() {
    assertThat(outbound(udp("10.64.0.3", "203.0.113.7"))).isEqualTo(Translated.FOREIGN_SOURCE);
    assertThat(outbound(udp("fdaa::3", "2001:db8::7"))).isEqualTo(Translated.FOREIGN_SOURCE);
  }

  @Test
  void sessionsDoNotReachEachOtherThroughThePool() {
    assertThat(outbound(udp("10.64.0.2", "10.200.7.7"))).isEqualTo(Translated.POOL_DESTINATION);
    assertThat(outbound(udp("fdaa::2", "fd56::77"))).isEqualTo(Translated.POOL_DESTINATION);
  }

  @Test
  void whatIsNotForTheInternetStaysHere() {
    for (String to : new String[] {"127.0.0.1", "224.0.0.251", "255.255.255.255", "169.254.1.1"}) {
      assertThat(outbound(udp("10.64.0.2", to))).isEqualTo(Translated.UNROUTABLE_DESTINATION);
    }
    for (String to : new String[] {"::1", "ff02::fb", "fe80::1", "::"}) {
      assertThat(outbound(udp("fdaa::2", to))).isEqualTo(Translated.UNROUTABLE_DESTINATION);
    }
  }

  @Test
  void aRoutingHeaderIsRefused() {
    byte[] routing = new byte[32];
    routing[0] = 17;
    byte[] packet = PacketText.packet("fdaa::2", "2001:db8::7", 43, routing);
    assertThat(outbound(packet)).isEqualTo(Translated.ROUTING_HEADER);
  }

  @Test
  void anErrorAboutSomebodyElsesPacketIsRefused() {
    byte[] about = udp("203.0.113.7", "10.64.0.9");
    assertThat(outbound(PacketText.icmpError("10.64.0.2", "203.0.113.7", about, 28)))
        .isEqualTo(Translated.FOREIGN_ERROR);
    byte[] error =
        PacketText.icmpError("203.0.113.9", "10.200.0.5", udp("10.200.0.6", "203.0.113.7"), 28);
    ByteBuf packet = PacketText.buffer(error, 0);
    assertThat(translation.inbound(new IpPacket().set(packet, 0, error.length)))
        .isEqualTo(Translated.FOREIGN_ERROR);
    packet.release();
  }

  @Test
  void aDamagedPacketStaysDamaged() {
    byte[] damaged = udp("10.64.0.2", "203.0.113.7");
    damaged[damaged.length - 1] ^= 1;
    ByteBuf packet = PacketText.buffer(damaged, 0);
    assertThat(translation.outbound(new IpPacket().set(packet, 0, damaged.length)))
        .isEqualTo(Translated.FORWARDED);
    byte[] right = udp("10.200.0.5", "203.0.113.7");
    assertThat(packet.getUnsignedShort(26)).isEqualTo((right[26] & 0xff) << 8 | right[27] & 0xff);
    packet.release();
  }

  @Test
  void aUdpPacketWithoutChecksumKeepsNone() {
    byte[] unsummed = udp("10.64.0.2", "203.0.113.7");
    unsummed[26] = 0;
    unsummed[27] = 0;
    ByteBuf packet = PacketText.buffer(unsummed, 0);
    translation.outbound(new IpPacket().set(packet, 0, unsummed.length));
    assertThat(packet.getUnsignedShort(26)).isZero();
    packet.release();
  }

  @Test
  void aDeviceGetsTheSameAddressAgainAndNoTwoDevicesShareOne() {
    AddressPool small = new AddressPool(Prefix.of("10.9.0.0/26"), Prefix.of("fd09::/64"));
    AddressPool restarted = new AddressPool(Prefix.of("10.9.0.0/26"), Prefix.of("fd09::/64"));
    byte[] first = new byte[32];
    Arrays.fill(first, (byte) 9);
    assertThat(small.assign(first)).isEqualTo(restarted.assign(first));
    Set<Integer> slots = new HashSet<>();
    for (int i = 1; i < small.capacity(); i++) {
      byte[] key = new byte[32];
      key[0] = (byte) i;
      slots.add(small.assign(key).getAsInt());
    }
    assertThat(slots).hasSize(60).allMatch(slot -> slot >= 2 && slot <= 62);
    assertThat(small.assign(new byte[32])).isEmpty();
    int freed = slots.iterator().next();
    small.release(freed);
    assertThat(small.assign(new byte[32])).hasValue(freed);
  }

  @Test
  void prefixesAreReadAndRefusedWithTheRule() {
    assertThat(Prefix.of("fd56:6961:6475::/64").address(2)).isEqualTo("fd56:6961:6475::2");
    assertThat(Prefix.of("10.200.0.0/16").address(258)).isEqualTo("10.200.1.2");
    assertThat(Prefix.of("fd77::/48").toString()).isEqualTo("fd77::/48");
    for (String wrong :
        new String[] {"10.0.0.0", "10.0.0.1/8", "10.0.0.0/33", "x/8", "10.0.0.0/y"}) {
      assertThatThrownBy(() -> Prefix.of(wrong)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> new AddressPool(Prefix.of("10.0.0.0/16"), Prefix.of("fd00::/120")))
        .hasMessageContaining("as many addresses");
  }
}
