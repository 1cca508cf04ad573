package io.viaduct.cnapt.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.viaduct.cnapt.policy.ListedPaths;
import io.viaduct.cnapt.policy.PathStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PathLinksTest {
  private static PathStatus by(String link) {
    return ListedPaths.unmeasured(1, "one", link, "usable", 0);
  }

  private static List<String> samples(PathLinks links) {
    List<String> samples = new ArrayList<>();
    ((GaugeSnapshot) links.collect())
        .getDataPoints()
        .forEach(each ->
            samples.add(
                each.getLabels().get("snapt")
                    + "/"
                    + each.getLabels().get("path")
                    + " "
                    + each.getLabels().get("link")
                    + " "
                    + (int) each.getValue()));
    return samples;
  }

  @Test
  void aPathHasTheLabelOfItsPresentLinkAndNoOther() {
    PathStatus[] present = {by("wlan0")};
    var links = new PathLinks(2, (snapt, path) -> snapt == 1 && path == 1 ? present[0] : null);
    assertThat(samples(links)).hasSize(16).contains("0/0  0", "1/1 wlan0 1");
    present[0] = by("eth0");
    assertThat(samples(links)).hasSize(16).contains("1/1 eth0 1").doesNotContain("1/1 wlan0 1");
  }
}
