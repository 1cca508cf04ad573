package io.viaduct.cnapt.mobility;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.links.AttachedLink;
import io.viaduct.host.netlink.NetworkChange;
import io.viaduct.host.netlink.NetworkChange.Route;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NetworkViewTest {
  private static final InetAddress ANY = InetAddress.ofLiteral("0.0.0.0");
  private static final InetAddress HERE = InetAddress.ofLiteral("10.1.0.2");
  private static final Route DEFAULT =
      new Route(ANY, 0, InetAddress.ofLiteral("10.1.0.1"), 2, 0, 254);

  private final NetworkView view = new NetworkView("viaduct0");

  @BeforeEach
  void whatExistsIsToldFirstAndIsNoChange() {
    assertThat(view.accept(new NetworkChange.Resync())).isNull();
    existing();
    assertThat(view.accept(new NetworkChange.Complete())).isNull();
  }

  private void existing() {
    assertThat(view.accept(link(1, "lo", true, true))).isNull();
    assertThat(view.accept(link(2, "linkA", true, true))).isNull();
    assertThat(view.accept(link(9, "viaduct0", true, true))).isNull();
    assertThat(view.accept(new NetworkChange.AddressPresent(2, HERE, 24, true))).isNull();
    assertThat(view.accept(new NetworkChange.RoutePresent(DEFAULT))).isNull();
  }

  private static NetworkChange link(int index, String name, boolean up, boolean carrier) {
    return new NetworkChange.LinkPresent(index, name, up, carrier, 1500);
  }

  @Test
  void aLinkThatLosesItsCarrierIsAChangeOnce() {
    assertThat(view.accept(link(2, "linkA", true, false))).isEqualTo("link");
    assertThat(view.accept(link(2, "linkA", true, false))).isNull();
    assertThat(view.accept(new NetworkChange.LinkGone(2, "linkA"))).isEqualTo("link");
  }

  @Test
  void anAddressThatComesOrGoesIsAChangeAndARenewedLifetimeIsNot() {
    InetAddress next = InetAddress.ofLiteral("10.2.0.2");
    assertThat(view.accept(new NetworkChange.AddressPresent(2, next, 24, true)))
        .isEqualTo("address");
    assertThat(view.accept(new NetworkChange.AddressPresent(2, next, 24, true))).isNull();
    assertThat(view.accept(new NetworkChange.AddressGone(2, next, 24))).isEqualTo("address");
  }

  @Test
  void anAddressUnderDuplicateDetectionCountsWhenItIsUsable() {
    InetAddress next = InetAddress.ofLiteral("fd05::2");
    assertThat(view.accept(new NetworkChange.AddressPresent(2, next, 64, false))).isNull();
    assertThat(view.accept(new NetworkChange.AddressPresent(2, next, 64, true)))
        .isEqualTo("address");
  }

  @Test
  void onlyDefaultRoutesOfTheMainTableMatter() {
    Route other = new Route(ANY, 0, InetAddress.ofLiteral("10.2.0.1"), 2, 10, 254);
    Route ofOurTable = new Route(ANY, 0, null, 9, 0, 30305);
    Route network = new Route(InetAddress.ofLiteral("10.7.0.0"), 16, null, 2, 0, 254);
    assertThat(view.accept(new NetworkChange.RoutePresent(other))).isEqualTo("route");
    assertThat(view.accept(new NetworkChange.RoutePresent(ofOurTable))).isNull();
    assertThat(view.accept(new NetworkChange.RoutePresent(network))).isNull();
    assertThat(view.accept(new NetworkChange.RouteGone(DEFAULT))).isEqualTo("route");
    assertThat(view.accept(new NetworkChange.RouteGone(DEFAULT))).isNull();
  }

  @Test
  void whatHappensToTheTunAndTheLoopbackIsNoChange() {
    assertThat(view.accept(link(9, "viaduct0", false, false))).isNull();
    assertThat(view.accept(link(1, "lo", false, false))).isNull();
    assertThat(view.accept(new NetworkChange.AddressPresent(9, HERE, 32, true))).isNull();
    assertThat(view.accept(new NetworkChange.LinkGone(9, "viaduct0"))).isNull();
  }

  @Test
  void afterAResyncOnlyADifferenceIsAChange() {
    view.accept(new NetworkChange.Resync());
    existing();
    assertThat(view.accept(new NetworkChange.Complete())).isNull();
    view.accept(new NetworkChange.Resync());
    view.accept(link(1, "lo", true, true));
    assertThat(view.accept(new NetworkChange.Complete())).as("the link is gone").isEqualTo("route");
  }

  @Test
  void anAddressIsDescribedWithItsInterface() {
    assertThat(view.describe(HERE)).isEqualTo("linkA 10.1.0.2");
    assertThat(view.describe(null)).isEqualTo("nowhere");
    view.accept(new NetworkChange.Resync());
    assertThat(view.describe(HERE)).as("until it is told again").isEqualTo("linkA 10.1.0.2");
  }

  @Test
  void aDeviceWithAnAddressIsSomewhereThoughNoSnaptIsKnown() throws Exception {
    assertThat(view.here()).isEqualTo("linkA 10.1.0.2");
    view.accept(link(3, "linkB", true, true));
    InetAddress other = InetAddress.ofLiteral("10.0.0.9");
    view.accept(new NetworkChange.AddressPresent(3, other, 24, true));
    assertThat(view.here()).as("the default route decides").isEqualTo("linkA 10.1.0.2");
    view.accept(new NetworkChange.RouteGone(DEFAULT));
    assertThat(view.here()).isEqualTo("linkB 10.0.0.9");
    view.accept(new NetworkChange.AddressGone(3, other, 24));
    view.accept(new NetworkChange.AddressGone(2, HERE, 24));
    assertThat(view.here()).isEqualTo("nowhere");
  }

  private static Route defaultBy(int link, String any, String gateway) {
    return new Route(InetAddress.ofLiteral(any), 0, InetAddress.ofLiteral(gateway), link, 5, 254);
  }

  private void address(int link, String text) {
    view.accept(new NetworkChange.AddressPresent(link, InetAddress.ofLiteral(text), 24, true));
  }

  @Test
  void aLinkIsAttachedByTheFamiliesOfWhichItHasADefaultRouteAndAnAddress() {
    assertThat(view.attached()).containsExactly(new AttachedLink(2, "linkA", List.of(HERE)));
    InetAddress ipv6 = InetAddress.ofLiteral("fd05::2");
    address(2, "fd05::2");
    assertThat(view.attached()).as("no default route for IPv6").hasSize(1);
    assertThat(view.attached().getFirst().sources()).containsExactly(HERE);
    view.accept(new NetworkChange.RoutePresent(defaultBy(2, "::", "fe80::1")));
    assertThat(view.attached().getFirst().sources()).containsExactly(HERE, ipv6);
    view.accept(new NetworkChange.RouteGone(DEFAULT));
    assertThat(view.attached().getFirst().sources()).containsExactly(ipv6);
  }

  @Test
  void aSecondLinkMayHaveTheSameAddressInAnotherPrivateNetwork() {
    view.accept(link(3, "linkB", true, true));
    address(3, "10.1.0.2");
    view.accept(new NetworkChange.RoutePresent(defaultBy(3, "0.0.0.0", "10.1.0.254")));
    assertThat(view.attached()).extracting(AttachedLink::name).containsExactly("linkA", "linkB");
    view.accept(new NetworkChange.AddressGone(3, HERE, 24));
    assertThat(view.attached()).extracting(AttachedLink::name).containsExactly("linkA");
  }

  @Test
  void aLinkThatIsDownOrOurOwnIsNotAttached() {
    view.accept(new NetworkChange.RoutePresent(defaultBy(9, "0.0.0.0", "10.1.0.254")));
    assertThat(view.attached()).extracting(AttachedLink::name).containsExactly("linkA");
    view.accept(link(2, "linkA", true, false));
    assertThat(view.attached()).isEmpty();
    view.accept(link(2, "linkA", true, true));
    assertThat(view.attached()).hasSize(1);
    view.accept(new NetworkChange.Resync());
    assertThat(view.isComplete()).isFalse();
  }
}
