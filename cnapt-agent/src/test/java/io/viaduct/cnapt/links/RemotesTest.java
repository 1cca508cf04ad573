package io.viaduct.cnapt.links;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RemotesTest {
  private static final InetSocketAddress FOUR = at("192.0.2.1");
  private static final InetSocketAddress SIX = at("2001:db8::1");

  private static InetSocketAddress at(String literal) {
    return new InetSocketAddress(InetAddress.ofLiteral(literal), 443);
  }

  private static List<InetAddress> found(String... literals) {
    return Stream.of(literals).map(InetAddress::ofLiteral).toList();
  }

  private static UsableLink link(String... sources) {
    return new UsableLink("eth0", 2, found(sources), 0, LinkUse.YES, null);
  }

  @Test
  void aLinkLeadsToTheAddressOfItsFamily() {
    Remotes both = Remotes.of(FOUR).and(found("192.0.2.1", "2001:db8::1"), null);
    assertThat(both.of(link("10.0.0.2"), 0, false)).isEqualTo(FOUR);
    assertThat(both.of(link("10.0.0.2"), 0, true)).as("it has one family").isEqualTo(FOUR);
    assertThat(both.of(link("2001:db8:5::2"), 0, false)).isEqualTo(SIX);
    assertThat(both.of(link("10.0.0.2", "2001:db8:5::2"), 0, false)).isEqualTo(FOUR);
    assertThat(both.of(link("10.0.0.2", "2001:db8:5::2"), 0, true)).isEqualTo(SIX);
    assertThat(both.of(null, 0, false)).isEqualTo(FOUR);
  }

  @Test
  void aLinkWithoutAFamilyOfTheSnaptLeadsNowhere() {
    assertThat(Remotes.of(FOUR).of(link("2001:db8:5::2"), 0, false)).isNull();
  }

  @Test
  void aPeerHasOnePlacePerAddress() {
    Remotes peer = Remotes.of(FOUR).each(found("192.0.2.1", "192.0.2.9", "2001:db8::1"));
    UsableLink four = link("10.0.0.2");
    assertThat(peer.of(four, 0, false)).isEqualTo(FOUR);
    assertThat(peer.of(four, 1, false)).isEqualTo(at("192.0.2.9"));
    assertThat(peer.of(four, 2, false)).as("the link has no IPv6").isNull();
    assertThat(peer.of(link("2001:db8:5::2"), 2, false)).isEqualTo(SIX);
    assertThat(peer.of(null, 1, false)).as("the kernel routes it").isEqualTo(at("192.0.2.9"));
    assertThat(peer.of(four, 3, false)).as("there is no such place").isNull();
  }

  @Test
  void anAddressThatWasUsedAndIsFoundAgainStays() {
    Remotes before = Remotes.of(FOUR).and(found("2001:db8::1"), null);
    List<InetAddress> now = found("192.0.2.7", "192.0.2.1", "2001:db8::1");
    assertThat(Remotes.of(SIX).and(now, before).places().getFirst().ipv4()).isEqualTo(FOUR);
    assertThat(Remotes.of(SIX).and(now, null).places().getFirst().ipv4())
        .isEqualTo(at("192.0.2.7"));
    assertThat(Remotes.of(SIX).and(found("192.0.2.7"), before).places().getFirst().ipv4())
        .isEqualTo(at("192.0.2.7"));
  }
}
