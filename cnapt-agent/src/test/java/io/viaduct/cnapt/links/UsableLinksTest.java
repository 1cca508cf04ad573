package io.viaduct.cnapt.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class UsableLinksTest {
  private final List<String> reported = new ArrayList<>();
  private final UsableLinks links =
      new UsableLinks(
          LinkRules.of(List.of()),
          new LinkListener() {
            @Override
            public void linkAdded(UsableLink link) {
              reported.add("added " + link.name() + " " + link.index());
            }

            @Override
            public void linkRemoved(UsableLink link) {
              String why = link.isForbidden() ? " forbidden" : "";
              reported.add("removed " + link.name() + " " + link.index() + why);
            }

            @Override
            public void linkChanged(UsableLink before, UsableLink now) {
              reported.add("changed " + now.name() + " " + now.sources());
            }
          });

  private static AttachedLink link(int index, String name, String... sources) {
    return new AttachedLink(
        index, name, Arrays.stream(sources).map(InetAddress::ofLiteral).toList());
  }

  private static LinkRules only(String name, String use) {
    return LinkRules.of(
        List.of(
            new LinkRule(
                LinkPattern.of(name),
                Optional.of(LinkUse.of(use)),
                Optional.of(2.0),
                Optional.empty())));
  }

  private List<String> reported() {
    List<String> copy = List.copyOf(reported);
    reported.clear();
    return copy;
  }

  @Test
  void eachDifferenceIsReportedOnce() {
    links.attached(List.of(link(2, "eth0", "10.0.0.2"), link(3, "wwan0", "10.9.0.2", "fd01::2")));
    assertThat(reported()).containsExactly("added eth0 2", "added wwan0 3");
    assertThat(links.links())
        .extracting(UsableLink::isSpare, UsableLink::cost, UsableLink::hasIpv6)
        .containsExactly(tuple(false, 0.0, false), tuple(true, 1.0, true));
    links.attached(List.of(link(2, "eth0", "10.0.0.2"), link(3, "wwan0", "10.9.0.2", "fd01::2")));
    assertThat(reported()).isEmpty();
    links.attached(List.of(link(2, "eth0", "10.0.0.3"), link(3, "wwan0", "10.9.0.2", "fd01::2")));
    assertThat(reported()).containsExactly("changed eth0 [/10.0.0.3]");
    links.attached(List.of(link(3, "wwan0", "10.9.0.2", "fd01::2")));
    assertThat(reported()).containsExactly("removed eth0 2");
  }

  @Test
  void anInterfaceThatWasMadeAnewIsAnotherLink() {
    links.attached(List.of(link(2, "usb0", "10.0.0.2")));
    reported();
    links.attached(List.of(link(7, "usb0", "10.0.0.2")));
    assertThat(reported()).containsExactly("removed usb0 2", "added usb0 7");
    links.attached(List.of(link(7, "modem", "10.0.0.2")));
    assertThat(reported()).as("renamed").containsExactly("removed usb0 7", "added modem 7");
  }

  @Test
  void aLinkBecomesWeakAndStrongAgainWithAMarginBetween() {
    links.attached(List.of(link(3, "wlan0", "10.0.0.2")));
    reported();
    for (int dBm : new int[] {-70, -81, -79, -81}) {
      links.signal(3, dBm);
    }
    assertThat(reported()).as("one reading is chance").isEmpty();
    links.signal(3, -82);
    assertThat(reported()).containsExactly("changed wlan0 [/10.0.0.2]");
    assertThat(links.links()).extracting(UsableLink::weakDbm).containsExactly(-82);
    for (int i = 0; i < 20; i++) {
      links.signal(3, -75);
    }
    assertThat(links.links()).as("within the margin").allMatch(UsableLink::isWeak);
    for (int i = 0; i < WeakSignal.STRONG_READINGS; i++) {
      links.signal(3, -74);
    }
    assertThat(reported()).containsExactly("changed wlan0 [/10.0.0.2]");
    assertThat(links.links()).noneMatch(UsableLink::isWeak);
  }

  @Test
  void aLinkThatComesBackHasNoWeakSignalOfBefore() {
    links.attached(List.of(link(3, "wlan0", "10.0.0.2")));
    links.signal(3, -90);
    links.signal(3, -90);
    assertThat(links.links()).allMatch(UsableLink::isWeak);
    links.attached(List.of());
    links.attached(List.of(link(3, "wlan0", "10.0.0.2")));
    assertThat(links.links()).noneMatch(UsableLink::isWeak);
  }

  @Test
  void otherRulesApplyAtOnce() {
    links.attached(List.of(link(2, "eth0", "10.0.0.2")));
    reported();
    links.use(only("eth0", "spare"));
    assertThat(reported()).containsExactly("changed eth0 [/10.0.0.2]");
    assertThat(links.links()).allMatch(UsableLink::isSpare);
    links.use(only("eth*", "no"));
    assertThat(reported()).containsExactly("changed eth0 [/10.0.0.2]", "removed eth0 2 forbidden");
    links.use(LinkRules.of(List.of()));
    assertThat(reported()).containsExactly("added eth0 2");
  }
}
