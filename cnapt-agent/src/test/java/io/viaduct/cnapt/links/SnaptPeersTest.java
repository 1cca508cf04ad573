package io.viaduct.cnapt.links;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SnaptPeersTest {
  private static final InetSocketAddress FOUR = at("192.0.2.1");
  private static final InetSocketAddress SIX = at("2001:db8::1");

  private static InetSocketAddress at(String literal) {
    return new InetSocketAddress(InetAddress.ofLiteral(literal), 443);
  }

  private static List<InetAddress> found(String... literals) {
    return Stream.of(literals).map(InetAddress::ofLiteral).toList();
  }

  private static UsableLink link(String... sources) {
    return new UsableLink("eth0", 2, found(sources), 0, false, null);
  }

  @Test
  void aLinkLeadsToTheAddressOfItsFamily() {
    SnaptPeers both = SnaptPeers.of(FOUR).and(found("192.0.2.1", "2001:db8::1"), null);
    assertThat(both.of(link("10.0.0.2"), false)).isEqualTo(FOUR);
    assertThat(both.of(link("10.0.0.2"), true)).as("it has one family").isEqualTo(FOUR);
    assertThat(both.of(link("2001:db8:5::2"), false)).isEqualTo(SIX);
    assertThat(both.of(link("10.0.0.2", "2001:db8:5::2"), false)).isEqualTo(FOUR);
    assertThat(both.of(link("10.0.0.2", "2001:db8:5::2"), true)).isEqualTo(SIX);
    assertThat(both.of(null, false)).isEqualTo(FOUR);
  }

  @Test
  void aLinkWithoutAFamilyOfTheSnaptLeadsNowhere() {
    assertThat(SnaptPeers.of(FOUR).of(link("2001:db8:5::2"), false)).isNull();
  }

  @Test
  void anAddressThatWasUsedAndIsFoundAgainStays() {
    SnaptPeers before = SnaptPeers.of(FOUR).and(found("2001:db8::1"), null);
    List<InetAddress> now = found("192.0.2.7", "192.0.2.1", "2001:db8::1");
    assertThat(SnaptPeers.of(SIX).and(now, before).ipv4()).isEqualTo(FOUR);
    assertThat(SnaptPeers.of(SIX).and(now, null).ipv4()).isEqualTo(at("192.0.2.7"));
    assertThat(SnaptPeers.of(SIX).and(found("192.0.2.7"), before).ipv4())
        .isEqualTo(at("192.0.2.7"));
  }
}
