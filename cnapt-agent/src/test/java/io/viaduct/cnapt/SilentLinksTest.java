package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.egress.SilentLink;
import io.viaduct.cnapt.links.LinkUse;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.policy.ListedPaths;
import io.viaduct.cnapt.policy.PathStatus;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SilentLinksTest {
  private static final List<UsableLink> LINKS = List.of(link("wlan0", 3), link("wwan0", 4));

  private static UsableLink link(String name, int index) {
    List<InetAddress> sources = List.of(InetAddress.ofLiteral("192.0.2." + index));
    return new UsableLink(name, index, sources, 0, LinkUse.YES, null);
  }

  private static PathStatus path(String link, String state, long sinceMs) {
    return ListedPaths.unmeasured(0, "", link, state, sinceMs);
  }

  private static List<String> silent(PathStatus... paths) {
    return SilentLinks.of(LINKS, Arrays.asList(paths)).stream().map(SilentLink::name).toList();
  }

  @Test
  void aLinkIsSilentIfNoPathOfItHasAnsweredForThreeSeconds() {
    assertThat(silent(path("wlan0", "dead", 3_000), path("wwan0", "usable", 90_000)))
        .containsExactly("wlan0");
    assertThat(silent(path("wlan0", "dead", 2_900), path("wwan0", "spare", 90_000))).isEmpty();
    assertThat(silent(path("wlan0", "dead", 3_000), path("wlan0", "usable", 90_000))).isEmpty();
  }

  @Test
  void aLinkWithoutAPathIsNotKnownToBeSilent() {
    assertThat(silent(path("any", "dead", 9_000))).isEmpty();
  }
}
