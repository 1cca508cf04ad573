package io.viaduct.host.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class PeerAddressesProperties {
  @Provide
  Arbitrary<InetSocketAddress> peers() {
    Arbitrary<byte[]> four = Arbitraries.bytes().array(byte[].class).ofSize(4);
    Arbitrary<byte[]> six = Arbitraries.bytes().array(byte[].class).ofSize(16);
    return Combinators.combine(
            Arbitraries.oneOf(four, six), Arbitraries.integers().between(0, 65535))
        .as(PeerAddressesProperties::peer);
  }

  private static InetSocketAddress peer(byte[] address, int port) {
    try {
      return new InetSocketAddress(InetAddress.getByAddress(address), port);
    } catch (java.net.UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static MemorySegment at(long address) {
    return MemorySegment.ofAddress(address).reinterpret(PeerAddresses.IN6_LENGTH);
  }

  // With a table of two slots nearly every peer replaces another.
  @Property
  void aPeerSurvivesTheKernelsForm(@ForAll("peers") InetSocketAddress peer) {
    PeerAddresses addresses = new PeerAddresses(true, 2);
    assertThat(addresses.decode(at(addresses.encode(peer)))).isEqualTo(peer);
    InetSocketAddress other = peer(new byte[] {1, 2, 3, 4}, 5);
    assertThat(addresses.decode(at(addresses.encode(other)))).isEqualTo(other);
    assertThat(addresses.decode(at(addresses.encode(peer)))).isEqualTo(peer);
  }

  @Example
  void aKnownPeerIsTheSameObjectAgain() {
    PeerAddresses addresses = new PeerAddresses(false, 16);
    InetSocketAddress peer = peer(new byte[] {10, 0, 0, 1}, 4500);
    InetSocketAddress first = addresses.decode(at(addresses.encode(peer)));
    assertThat(addresses.decode(at(addresses.encode(peer)))).isSameAs(first);
  }

  @Example
  void theKernelsFormIsThatOfItsHeaders() {
    InetSocketAddress peer = peer(new byte[] {10, 0, 0, 1}, 0x1234);
    byte[] in = new byte[16];
    byte[] in6 = new byte[28];
    PeerAddresses four = new PeerAddresses(false, 1);
    PeerAddresses six = new PeerAddresses(true, 1);
    MemorySegment.copy(at(four.encode(peer)), 0, MemorySegment.ofArray(in), 0, in.length);
    MemorySegment.copy(at(six.encode(peer)), 0, MemorySegment.ofArray(in6), 0, in6.length);
    assertThat(HexFormat.of().formatHex(in))
        .isEqualTo("0200" + "1234" + "0a000001" + "00".repeat(8));
    assertThat(HexFormat.of().formatHex(in6))
        .isEqualTo("0a00" + "1234" + "00000000" + "00".repeat(10) + "ffff0a000001" + "00000000");
  }
}
