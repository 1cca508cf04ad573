package io.viaduct.cnapt.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.cnapt.classification.AddressPrefix;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.wire.IpPacket;
import java.net.InetAddress;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PeerSourcesTest {
  private static final int IPV4_BYTES = 20;
  private static final int IPV6_BYTES = 40;
  private static final long SEED = 20_261_125;

  private int passed;
  private final InnerPacketSink sink = (_, _) -> passed++;

  private static List<AddressPrefix> prefixes(String... texts) {
    return Stream.of(texts).map(AddressPrefix::of).toList();
  }

  private static IpPacket from(byte[] source) {
    boolean ipv6 = source.length == 16;
    ByteBuf buffer = Unpooled.wrappedBuffer(new byte[ipv6 ? IPV6_BYTES : IPV4_BYTES]);
    buffer.setByte(0, ipv6 ? 0x60 : 0x45);
    buffer.setBytes(ipv6 ? 8 : 12, source);
    return new IpPacket().set(buffer, 0, ipv6 ? IPV6_BYTES : IPV4_BYTES);
  }

  private static IpPacket from(String source) {
    return from(InetAddress.ofLiteral(source).getAddress());
  }

  @Test
  void onlySourcesInThePrefixesComeOut() {
    PeerSources sources = new PeerSources(prefixes("10.9.0.2", "192.168.4.0/22", "fd00:1::/64"));
    InnerPacketSink checked = sources.before(sink);
    for (String allowed : List.of("10.9.0.2", "192.168.7.255", "fd00:1::9")) {
      checked.packet(null, from(allowed));
    }
    assertThat(passed).isEqualTo(3);
    for (String wrong : List.of("10.9.0.3", "192.168.8.0", "fd00:1:0:1::9", "::a09:2", "0.0.0.0")) {
      checked.packet(null, from(wrong));
    }
    assertThat(passed).isEqualTo(3);
    assertThat(sources.refused()).isEqualTo(5);
  }

  @Test
  void theNumbersDecideAsThePrefixesDo() {
    Random random = new Random(SEED);
    for (int run = 0; run < 2_000; run++) {
      byte[] bytes = new byte[random.nextBoolean() ? 4 : 16];
      random.nextBytes(bytes);
      int bits = random.nextInt(1, bytes.length * 8 + 1);
      byte[] network = bytes.clone();
      for (int bit = bits; bit < bytes.length * 8; bit++) {
        network[bit / 8] &= (byte) ~(0x80 >> bit % 8);
      }
      AddressPrefix prefix = new AddressPrefix(address(network), bits);
      int flipped = random.nextInt(bytes.length * 8);
      bytes[flipped / 8] ^= (byte) (0x80 >> flipped % 8);
      passed = 0;
      new PeerSources(List.of(prefix)).before(sink).packet(null, from(bytes));
      assertThat(passed == 1)
          .as("%s from %s, seed %d, run %d", address(bytes), prefix, SEED, run)
          .isEqualTo(prefix.contains(address(bytes)));
    }
  }

  private static InetAddress address(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes);
    } catch (java.net.UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }
}
