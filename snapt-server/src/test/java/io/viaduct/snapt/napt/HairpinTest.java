package io.viaduct.snapt.napt;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.viaduct.snapt.PacketText;
import io.viaduct.tunnel.wire.IpPacket;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The kernel's part, masquerading and its table, is in `EgressLabIT`.
class HairpinTest {
  private static final AddressPool POOL =
      new AddressPool(Prefix.of("10.200.0.0/16"), Prefix.of("fd56::/64"));
  private static final InetAddress IPV4 = InetAddress.ofLiteral("198.51.100.1");
  private static final InetAddress IPV6 = InetAddress.ofLiteral("2001:db8:51::1");
  private static final SharedAddresses SHARED =
      SharedAddresses.none(POOL).with(List.of(IPV4, IPV6));

  private final Hairpin hairpin = new Hairpin(() -> SHARED);

  private static byte[] udp(String from, String to, int toPort) {
    return PacketText.packet(from, to, 17, PacketText.udpHeader(7000, toPort));
  }

  private interface Step {
    boolean pass(IpPacket packet);
  }

  private static byte[] after(byte[] packet, Step step, boolean passes) {
    ByteBuf buffer = PacketText.buffer(packet, 0);
    assertThat(step.pass(new IpPacket().set(buffer, 0, packet.length))).isEqualTo(passes);
    byte[] bytes = PacketText.bytes(buffer, 0);
    buffer.release();
    return bytes;
  }

  @ParameterizedTest
  @CsvSource({
    "10.200.0.5, 10.200.0.6, 198.51.100.1, 10.200.255.247",
    "fd56::5, fd56::6, 2001:db8:51::1, fd56::fff8"
  })
  void aPacketPassesTheKernelTwiceAndEachEndSeesTheSharedAddress(
      String alice, String bob, String shared, String alias) {
    byte[] departed =
        after(
            udp(alice, shared, 40_000),
            packet -> {
              hairpin.depart(packet);
              return hairpin.isFor(packet);
            },
            false);
    assertThat(departed).isEqualTo(udp(alice, alias, 40_000));
    assertThat(after(udp(alice, shared, 40_000), hairpin::isFor, true))
        .isEqualTo(udp(alice, shared, 40_000));
    assertThat(after(udp(shared, alias, 40_000), hairpin::turn, true))
        .as("the kernel has masqueraded it")
        .isEqualTo(udp(alias, shared, 40_000));
    byte[] arrived =
        after(
            udp(alias, bob, 40_000),
            packet -> {
              hairpin.arrive(packet);
              return true;
            },
            true);
    assertThat(arrived).isEqualTo(udp(shared, bob, 40_000));
  }

  @Test
  void onlyUdpToADevicesPortOfASharedAddressIsTurned() {
    byte[] tcp = PacketText.packet("10.200.0.5", "198.51.100.1", 6, new byte[20]);
    after(tcp, hairpin::isFor, false);
    after(udp("10.200.0.5", "198.51.100.1", 443), hairpin::isFor, false);
    after(udp("10.200.0.5", "198.51.100.2", 40_000), hairpin::isFor, false);
    after(udp("10.200.0.5", "198.51.100.1", 1024), hairpin::isFor, true);
  }

  @Test
  void aPacketOfAnotherSourceIsNotTurned() {
    for (String source : List.of("10.200.0.5", "198.51.100.2", "10.200.255.247")) {
      byte[] packet = udp(source, "10.200.255.247", 40_000);
      assertThat(after(packet, hairpin::turn, false)).as(source).isEqualTo(packet);
    }
    byte[] unused = udp("198.51.100.1", "10.200.255.249", 40_000);
    assertThat(after(unused, hairpin::turn, false)).isEqualTo(unused);
  }

  @Test
  void anAddressThatStaysKeepsItsAliasAndNoSessionGetsOne() {
    SharedAddresses one = SHARED.with(List.of(IPV6));
    SharedAddresses next = one.with(List.of(InetAddress.ofLiteral("192.0.2.1"), IPV6));
    assertThat(next.all())
        .containsExactly(
            new SharedAddresses.Alias("10.200.255.247", "192.0.2.1", false),
            new SharedAddresses.Alias("fd56::fff8", "2001:db8:51::1", true));
    assertThat(SHARED.with(List.of(IPV4, IPV6))).isEqualTo(SHARED);
    for (int number = 0; number < 8; number++) {
      assertThat(POOL.slotOf(POOL.alias(number))).as("alias %d", number).isEqualTo(-1);
    }
  }

  @Test
  void aSmallPoolHasNoAliases() {
    AddressPool small = new AddressPool(Prefix.of("10.9.0.0/24"), Prefix.of("fd09::/64"));
    assertThat(small.capacity()).isEqualTo(253);
    assertThat(SharedAddresses.none(small).with(List.of(IPV4)).all()).isEmpty();
  }
}
