package io.viaduct.snapt.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.viaduct.snapt.PacketText;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.AddressTranslation;
import io.viaduct.snapt.napt.InnerAddresses;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.snapt.napt.Translated;
import io.viaduct.tunnel.wire.IpPacket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EgressPolicyTest {
  private static final int TCP = 6;
  private static final int UDP = 17;

  private final AddressTranslation translation =
      new AddressTranslation(
          new AddressPool(Prefix.of("10.200.0.0/16"), Prefix.of("fd56::/64")),
          5,
          InnerAddresses.of(PacketText.address("10.64.0.2"), PacketText.address("fdaa::2")));

  private static EgressPolicy policy(List<String> allow, List<String> deny) {
    EgressPolicy policy =
        new EgressPolicy(
            allow.stream().map(EgressRule::of).toList(),
            deny.stream().map(EgressRule::of).toList(),
            List.of(Prefix.of("203.0.113.64/27"), Prefix.of("2001:db8:c::/48")),
            true);
    policy.own(
        List.of(
            Prefix.of("198.51.100.1/32"),
            Prefix.of("2001:db8:51::1/128"),
            Prefix.of("10.9.0.1/32")));
    policy.bridge(List.of(Prefix.of("192.0.2.5/32")));
    return policy;
  }

  private @Nullable EgressRefusal judge(EgressPolicy policy, String to, int protocol, int port) {
    byte[] transport = new byte[20];
    ByteBuffer.wrap(transport).putShort((short) 5000).putShort((short) port);
    String from = to.contains(":") ? "fdaa::2" : "10.64.0.2";
    return judge(policy, PacketText.packet(from, to, protocol, transport));
  }

  private @Nullable EgressRefusal judge(EgressPolicy policy, byte[] bytes) {
    ByteBuf packet = PacketText.buffer(bytes, 12);
    try {
      assertThat(translation.outbound(new IpPacket().set(packet, 12, bytes.length)))
          .isEqualTo(Translated.FORWARDED);
      return policy.judge(new IpPacket().set(packet, 12, bytes.length), translation);
    } finally {
      packet.release();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "198.51.100.1, OWN_ADDRESS",
    "2001:db8:51::1, OWN_ADDRESS",
    "192.0.2.5, CONTROL_NETWORK",
    "203.0.113.95, CONTROL_NETWORK",
    "2001:db8:c:ffff::9, CONTROL_NETWORK",
    "10.0.0.1, PRIVATE_NETWORK",
    "172.31.255.255, PRIVATE_NETWORK",
    "192.168.1.1, PRIVATE_NETWORK",
    "100.127.0.1, PRIVATE_NETWORK",
    "fd00::1, PRIVATE_NETWORK",
    "64:ff9b::a00:1, PRIVATE_NETWORK",
    "2002:a00:1::1, PRIVATE_NETWORK",
    "fec0::1, PRIVATE_NETWORK"
  })
  void whatIsNotOfTheInternetIsRefusedWithItsReason(String to, EgressRefusal reason) {
    assertThat(judge(policy(List.of(), List.of()), to, UDP, 53)).isEqualTo(reason);
  }

  @Test
  void aSharedAddressObeysTheRulesOfAnyOtherDestination() {
    EgressPolicy policy = policy(List.of(), List.of("udp 5060"));
    assertThat(judgeShared(policy, "198.51.100.1", 5060)).isEqualTo(EgressRefusal.DENIED);
    assertThat(judgeShared(policy, "198.51.100.1", 5061)).isNull();
    assertThat(judgeShared(policy, "10.0.0.1", 5061)).isEqualTo(EgressRefusal.PRIVATE_NETWORK);
    assertThat(policy.hides(Prefix.of("198.51.100.1/32"))).isFalse();
    assertThat(policy.hides(Prefix.of("10.0.0.1/32"))).isTrue();
    assertThat(policy.hides(Prefix.of("2001:db8:c::9/128"))).isTrue();
    assertThat(policy(List.of("10.0.0.0/8"), List.of()).hides(Prefix.of("10.0.0.1/32"))).isFalse();
  }

  private @Nullable EgressRefusal judgeShared(EgressPolicy policy, String to, int port) {
    byte[] bytes = PacketText.packet("10.64.0.2", to, UDP, PacketText.udpHeader(5000, port));
    ByteBuf packet = PacketText.buffer(bytes, 12);
    try {
      translation.outbound(new IpPacket().set(packet, 12, bytes.length));
      return policy.judgeShared(new IpPacket().set(packet, 12, bytes.length), translation);
    } finally {
      packet.release();
    }
  }

  // The JDK reads the text form of a mapped address as IPv4.
  @Test
  void anIpv4AddressInsideAnIpv6OneIsRefused() {
    byte[] packet = PacketText.packet("fdaa::2", "2001:db8::7", UDP, new byte[20]);
    ByteBuffer.wrap(packet).putLong(24, 0).putLong(32, 0xffff_c0a8_0101L);
    assertThat(judge(policy(List.of(), List.of()), packet))
        .isEqualTo(EgressRefusal.PRIVATE_NETWORK);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"198.51.100.2", "203.0.113.96", "172.32.0.1", "8.8.8.8", "2001:db8:51::2"})
  void theInternetIsReached(String to) {
    assertThat(judge(policy(List.of(), List.of("tcp 25")), to, TCP, 443)).isNull();
  }

  @Test
  void aPortIsClosedForItsProtocolOnly() {
    EgressPolicy policy = policy(List.of(), List.of("tcp 25", "8.8.8.0/24 udp 50-60"));
    assertThat(judge(policy, "8.8.8.8", TCP, 25)).isEqualTo(EgressRefusal.DENIED);
    assertThat(judge(policy, "2001:db8:51::2", TCP, 25)).isEqualTo(EgressRefusal.DENIED);
    assertThat(judge(policy, "8.8.8.8", UDP, 25)).isNull();
    assertThat(judge(policy, "8.8.8.8", UDP, 53)).isEqualTo(EgressRefusal.DENIED);
    assertThat(judge(policy, "8.8.4.4", UDP, 53)).isNull();
    assertThat(judge(policy, "8.8.8.8", UDP, 61)).isNull();
  }

  @Test
  void anExceptionThatNamesAnAddressOfTheSnaptOpensThatServiceAlone() {
    EgressPolicy policy = policy(List.of("198.51.100.1/32 udp 53"), List.of());
    assertThat(judge(policy, "198.51.100.1", UDP, 53)).isNull();
    assertThat(judge(policy, "198.51.100.1", TCP, 22)).isEqualTo(EgressRefusal.OWN_ADDRESS);
  }

  @Test
  void theTunnelPortOfTheSnaptIsReachedByUdpAlone() {
    EgressPolicy policy = policy(List.of(), List.of("udp 443"));
    assertThat(judge(policy, "198.51.100.1", UDP, 443)).isEqualTo(EgressRefusal.OWN_ADDRESS);
    policy.tunnels().port(443);
    assertThat(judge(policy, "198.51.100.1", UDP, 443)).isNull();
    assertThat(judge(policy, "2001:db8:51::1", UDP, 443)).isNull();
    assertThat(judge(policy, "198.51.100.1", TCP, 443)).isEqualTo(EgressRefusal.OWN_ADDRESS);
    assertThat(judge(policy, "198.51.100.1", UDP, 444)).isEqualTo(EgressRefusal.OWN_ADDRESS);
    assertThat(judge(policy, "10.9.0.1", UDP, 443))
        .as("a private address, where the port may be another program's")
        .isEqualTo(EgressRefusal.OWN_ADDRESS);
    assertThat(judge(policy, "8.8.8.8", UDP, 443)).isEqualTo(EgressRefusal.DENIED);
    byte[] later = PacketText.packet("10.64.0.2", "198.51.100.1", UDP, new byte[24]);
    ByteBuffer.wrap(later).putShort(6, (short) 3);
    assertThat(judge(policy, later)).as("a fragment").isEqualTo(EgressRefusal.OWN_ADDRESS);
  }

  @Test
  void anExceptionForANetworkNeverOpensTheSnaptItself() {
    EgressPolicy policy = policy(List.of("0.0.0.0/0", "192.0.2.5/32 udp 5060"), List.of("tcp 25"));
    assertThat(judge(policy, "10.0.0.1", TCP, 25)).isNull();
    assertThat(judge(policy, "192.0.2.5", UDP, 5060)).isNull();
    assertThat(judge(policy, "198.51.100.1", TCP, 22)).isEqualTo(EgressRefusal.OWN_ADDRESS);
    EgressPolicy narrow = policy(List.of("192.0.2.5/32 udp 5060"), List.of());
    assertThat(judge(narrow, "192.0.2.5", TCP, 5060)).isEqualTo(EgressRefusal.CONTROL_NETWORK);
    assertThat(judge(narrow, "192.0.2.5", UDP, 7443)).isEqualTo(EgressRefusal.CONTROL_NETWORK);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"830704c633640200", "890704c633640200", "01018307000000000000", "44000000"})
  void aSourceRouteOrABrokenOptionIsRefused(String options) {
    byte[] bytes = withOptions(options);
    assertThat(judge(policy(List.of("0.0.0.0/0"), List.of()), bytes))
        .isEqualTo(EgressRefusal.SOURCE_ROUTE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"94040000", "01010100", "00008307", "0707040000000000"})
  void otherOptionsPass(String options) {
    assertThat(judge(policy(List.of(), List.of()), withOptions(options))).isNull();
  }

  private static byte[] withOptions(String hex) {
    byte[] options = java.util.HexFormat.of().parseHex(hex);
    int padded = (options.length + 3) / 4 * 4;
    byte[] plain = PacketText.packet("10.64.0.2", "8.8.8.8", UDP, new byte[20]);
    byte[] packet = new byte[plain.length + padded];
    System.arraycopy(plain, 0, packet, 0, 20);
    System.arraycopy(options, 0, packet, 20, options.length);
    System.arraycopy(plain, 20, packet, 20 + padded, 20);
    packet[0] = (byte) (0x45 + padded / 4);
    ByteBuffer.wrap(packet).putShort(2, (short) packet.length);
    return packet;
  }

  @Test
  void aFragmentBehindTheFirstIsRefusedByItsAddressAndNotByAPort() {
    byte[] later = PacketText.packet("10.64.0.2", "8.8.8.8", TCP, new byte[24]);
    ByteBuffer.wrap(later).putShort(6, (short) 3);
    assertThat(judge(policy(List.of(), List.of("tcp 25")), later)).isNull();
    byte[] toPrivate = PacketText.packet("10.64.0.2", "10.0.0.1", TCP, new byte[24]);
    ByteBuffer.wrap(toPrivate).putShort(6, (short) 3);
    assertThat(judge(policy(List.of(), List.of()), toPrivate))
        .isEqualTo(EgressRefusal.PRIVATE_NETWORK);
    assertThat(judge(policy(List.of("10.0.0.1/32 tcp 443"), List.of()), toPrivate)).isNull();
  }

  @Test
  void theFastSearchFindsWhatThePrefixesHold() {
    Random random = new Random(17);
    List<Prefix> prefixes = EgressPolicy.PRIVATE;
    Networks networks = new Networks(prefixes);
    for (int i = 0; i < 100_000; i++) {
      Prefix near = prefixes.get(random.nextInt(prefixes.size()));
      long high = near.high() ^ (near.ipv6() ? 1L << random.nextInt(64) : 0);
      long low = near.low() ^ (1L << random.nextInt(near.ipv6() ? 64 : 32));
      boolean held =
          prefixes.stream().anyMatch(p -> p.ipv6() == near.ipv6() && p.contains(high, low));
      assertThat(near.ipv6() ? networks.holdIpv6(high, low) : networks.holdIpv4(low))
          .isEqualTo(held);
    }
  }
}
