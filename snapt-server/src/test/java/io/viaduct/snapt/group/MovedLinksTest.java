package io.viaduct.snapt.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.pacing.KnownRate;
import io.viaduct.tunnel.pacing.LinkRate;
import io.viaduct.usage.v1.MovedLink;
import io.viaduct.usage.v1.TakeOverRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MovedLinksTest {
  private static final long RATE = 64_000; // the least

  private final List<String> leftOut = new ArrayList<>();

  private static MovedLink link(String name, long limit, long capacity) {
    return MovedLink.newBuilder()
        .setLink(name)
        .setBitPerSecond(limit)
        .setCapacityBitPerSecond(capacity)
        .build();
  }

  @Test
  void theRatesOfLinksArriveAsTheyWereKnown() {
    List<LinkRate> rates =
        List.of(
            new LinkRate("wlan0", new KnownRate(1e6, 1.25e6)),
            new LinkRate("eth0", new KnownRate(Double.POSITIVE_INFINITY, 125e6)));
    TakeOverRequest.Builder request = TakeOverRequest.newBuilder();
    MovedLinks.write(rates, request);
    assertThat(MovedLinks.read(request.build(), leftOut::add)).isEqualTo(rates);
    assertThat(leftOut).isEmpty();
  }

  @Test
  void aLinkThatBreaksARuleIsLeftOutAndTheOthersStay() {
    TakeOverRequest request =
        TakeOverRequest.newBuilder()
            .addLinks(link("", RATE, RATE))
            .addLinks(link("a b", RATE, RATE))
            .addLinks(link("wlan0", RATE, 0))
            .addLinks(link("wlan0", -1, RATE)) // 2^64 - 1
            .addLinks(link("wlan0", RATE, Long.MAX_VALUE))
            .addLinks(link("wlan0", RATE - 1, RATE))
            .addLinks(link("eth0", 0, RATE))
            .build();
    assertThat(MovedLinks.read(request, leftOut::add))
        .containsExactly(new LinkRate("eth0", new KnownRate(Double.POSITIVE_INFINITY, RATE / 8.0)));
    assertThat(leftOut).hasSize(6).allMatch(why -> why.startsWith("a link has a name"));
  }

  @Test
  void moreLinksThanPathsAreLeftOut() {
    TakeOverRequest.Builder request = TakeOverRequest.newBuilder();
    for (int i = 0; i <= MovedLinks.MOST; i++) {
      request.addLinks(link("wlan" + i, RATE, RATE));
    }
    assertThat(MovedLinks.read(request.build(), leftOut::add)).hasSize(MovedLinks.MOST);
    assertThat(leftOut).containsExactly("at most 8 links, got 9");
  }
}
