package io.viaduct.cnapt.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LinkPortalsTest {
  private static final long SECOND_NS = 1_000_000_000;
  private static final URI PAGE = URI.create("http://portal.test/login");

  private long nowNs = -5 * SECOND_NS;
  private List<SilentLink> silent = List.of();
  private PortalFinding finding = new PortalFinding.Unknown("first");
  private final List<String> asked = new ArrayList<>();
  private final LinkPortals portals =
      new LinkPortals(
          () -> silent,
          link -> {
            asked.add(link.name() + " at " + (nowNs / SECOND_NS + 5));
            return finding;
          },
          10 * SECOND_NS,
          () -> nowNs);

  private static SilentLink link(String name, String address) {
    return new SilentLink(name, 3, List.of(InetAddress.ofLiteral(address)));
  }

  private void look(int seconds) {
    for (int i = 0; i < seconds; i += 5) {
      portals.look();
      nowNs += 5 * SECOND_NS;
    }
  }

  @Test
  void theLinkWhosePageAPortalAnswersIsShownUntilItAnswersItself() {
    silent = List.of(link("wlan0", "192.0.2.5"));
    finding = new PortalFinding.Portal(PAGE);
    look(5);
    assertThat(portals.pages()).isEqualTo(Map.of("wlan0", PAGE));
    finding = new PortalFinding.Unknown("a lost packet");
    look(30);
    assertThat(portals.pages()).isEqualTo(Map.of("wlan0", PAGE));
    silent = List.of();
    look(5);
    assertThat(portals.pages()).isEmpty();
  }

  @Test
  void aLinkOnWhichThePageAnswersHasNoPortal() {
    silent = List.of(link("wlan0", "192.0.2.5"));
    finding = new PortalFinding.Portal(PAGE);
    look(5);
    finding = new PortalFinding.Open();
    look(15);
    assertThat(portals.pages()).isEmpty();
  }

  @Test
  void aLinkIsAskedLessAndLessOftenUntilItHasAnotherAddress() {
    silent = List.of(link("wlan0", "192.0.2.5"));
    look(160);
    assertThat(asked)
        .containsExactly("wlan0 at 0", "wlan0 at 10", "wlan0 at 30", "wlan0 at 70", "wlan0 at 150");
    asked.clear();
    look(3600);
    assertThat(asked).as("every 300 s at last").hasSizeBetween(12, 14);
    asked.clear();
    silent = List.of(link("wlan0", "198.51.100.5"));
    look(15);
    assertThat(asked).hasSize(2);
  }

  @Test
  void nothingIsShownAfterNothingCarries() {
    silent = List.of(link("wlan0", "192.0.2.5"));
    finding = new PortalFinding.Portal(PAGE);
    look(5);
    portals.forget();
    assertThat(portals.pages()).isEmpty();
  }
}
