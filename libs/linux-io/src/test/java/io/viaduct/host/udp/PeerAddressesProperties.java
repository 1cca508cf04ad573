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

  private static MemorySegment encoded(PeerAddresses addresses, InetSocketAddress peer) {
    return addresses.memory().asSlice(addresses.at(peer), PeerAddresses.SLOT);
  }

  private static AddressPair pair(InetSocketAddress peer, int local) {
    return new AddressPair(peer.getAddress(), peer.getPort(), 0, PeerAddresses.mapped(local));
  }

  // With a table of two slots nearly every peer replaces another.
  @Property
  void aPeerSurvivesTheKernelsForm(@ForAll("peers") InetSocketAddress peer) {
    PeerAddresses addresses = new PeerAddresses(true, 2);
    assertThat(addresses.decode(encoded(addresses, peer))).isEqualTo(peer);
    InetSocketAddress other = peer(new byte[] {1, 2, 3, 4}, 5);
    assertThat(addresses.decode(encoded(addresses, other))).isEqualTo(other);
    assertThat(addresses.decode(encoded(addresses, peer))).isEqualTo(peer);
  }

  @Example
  void aKnownPeerIsTheSameObjectAgain() {
    PeerAddresses addresses = new PeerAddresses(false, 16);
    InetSocketAddress peer = peer(new byte[] {10, 0, 0, 1}, 4500);
    InetSocketAddress first = addresses.decode(encoded(addresses, peer));
    assertThat(addresses.decode(encoded(addresses, peer))).isSameAs(first);
  }

  @Example
  void aPeerHasOneObjectPerLocalAddress() {
    PeerAddresses addresses = new PeerAddresses(true, 16);
    MemorySegment peer = encoded(addresses, peer(new byte[] {10, 0, 0, 1}, 4500));
    InetSocketAddress first = addresses.decode(peer, 0, PeerAddresses.mapped(1));
    InetSocketAddress second = addresses.decode(peer, 0, PeerAddresses.mapped(2));
    assertThat(second).isEqualTo(first).isNotSameAs(first);
    assertThat(addresses.decode(peer, 0, PeerAddresses.mapped(1))).isSameAs(first);
    assertThat(addresses.decode(peer, 0, PeerAddresses.mapped(2))).isSameAs(second);
  }

  @Example
  void theLocalAddressIsEncodedBesideThePeerAndNeverThatOfAnEqualOne() {
    InetSocketAddress peer = peer(new byte[] {10, 0, 0, 1}, 4500);
    for (boolean ipv6 : new boolean[] {false, true}) {
      PeerAddresses addresses = new PeerAddresses(ipv6, 1);
      PacketInfo info = addresses.info();
      for (int local : new int[] {0x0a000002, 0x0a000003}) {
        MemorySegment slot = encoded(addresses, pair(peer, local));
        assertThat(PeerAddresses.infoBytes(slot, 0)).isEqualTo(ipv6 ? 20 : 12);
        assertThat(info.high(slot, PeerAddresses.INFO)).isZero();
        assertThat(info.low(slot, PeerAddresses.INFO)).isEqualTo(PeerAddresses.mapped(local));
      }
      assertThat(PeerAddresses.infoBytes(encoded(addresses, peer), 0)).isZero();
    }
  }

  @Example
  void theKernelsFormIsThatOfItsHeaders() {
    InetSocketAddress peer = peer(new byte[] {10, 0, 0, 1}, 0x1234);
    byte[] in = new byte[16];
    byte[] in6 = new byte[28];
    PeerAddresses four = new PeerAddresses(false, 1);
    PeerAddresses six = new PeerAddresses(true, 1);
    MemorySegment.copy(encoded(four, peer), 0, MemorySegment.ofArray(in), 0, in.length);
    MemorySegment.copy(encoded(six, peer), 0, MemorySegment.ofArray(in6), 0, in6.length);
    assertThat(HexFormat.of().formatHex(in))
        .isEqualTo("0200" + "1234" + "0a000001" + "00".repeat(8));
    assertThat(HexFormat.of().formatHex(in6))
        .isEqualTo("0a00" + "1234" + "00000000" + "00".repeat(10) + "ffff0a000001" + "00000000");
  }
}
