package io.viaduct.cnapt.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.links.LinkUse;
import io.viaduct.cnapt.links.UsableLink;
import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ControlWayTest {
  private static final InetAddress FOUR = InetAddress.ofLiteral("192.0.2.1");
  private static final InetAddress SIX = InetAddress.ofLiteral("2001:db8::1");
  private static final UsableLink WIFI = link("wlan0", 3, "10.0.0.2");
  private static final UsableLink MODEM = link("wwan0", 4, "2001:db8:5::2");

  private static UsableLink link(String name, int index, String... sources) {
    return new UsableLink(
        name, index, Stream.of(sources).map(InetAddress::ofLiteral).toList(), 0, LinkUse.YES, null);
  }

  @Test
  void eachLinkLeadsToTheAddressesOfItsFamilies() {
    assertThat(ControlWay.of(List.of(WIFI, MODEM), List.of(FOUR, SIX)))
        .containsExactly(new ControlWay(WIFI, FOUR), new ControlWay(MODEM, SIX));
  }

  @Test
  void withoutALinkTheKernelChooses() {
    assertThat(ControlWay.of(List.of(), List.of(FOUR, SIX)))
        .containsExactly(new ControlWay(null, FOUR), new ControlWay(null, SIX));
    assertThat(ControlWay.of(List.of(MODEM), List.of(FOUR)))
        .containsExactly(new ControlWay(null, FOUR));
  }

  @Test
  void aConnectionGoesOnWhileItsLinkHasItsAddress() {
    InetAddress own = WIFI.sources().getFirst();
    assertThat(ControlWay.holding(List.of(MODEM, WIFI), own, WIFI)).isEqualTo(WIFI);
    assertThat(ControlWay.holding(List.of(MODEM, WIFI), own, null)).isEqualTo(WIFI);
    assertThat(ControlWay.holding(List.of(MODEM), own, WIFI)).isNull();
    assertThat(ControlWay.holding(List.of(link("wlan0", 3, "10.0.0.9")), own, WIFI))
        .as("another address")
        .isNull();
    assertThat(ControlWay.holding(List.of(link("wlan0", 9, "10.0.0.2")), own, WIFI))
        .as("an interface that was made anew")
        .isNull();
  }
}
