package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.links.LinkUse;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.tunnel.terms.OuterHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The device's paths with real sockets and the clock of the test.
class DevicePathsTest {
  private static final int LINK = 0; // ids of paths, in the order of the links
  private static final int SPARE = 1;

  private LoopbackPaths device;

  @BeforeEach
  void open() throws Exception {
    device = new LoopbackPaths();
  }

  @AfterEach
  void close() throws Exception {
    device.close();
  }

  private void beginWithSpare() throws Exception {
    device.begin(LoopbackPaths.link(1, false));
    device.change(null, LoopbackPaths.link(2, true));
    device.advanceMs(2_000);
    assertThat(device.path(LINK).use()).isEqualTo("yes");
    assertThat(device.path(SPARE).use()).isEqualTo("spare");
  }

  @Test
  void aSpareLinkCarriesPacketsWhileTheOnlyOtherOneLosesBadlyAndNotAfterwards() throws Exception {
    beginWithSpare();
    device.snapt.losingPath = LINK;
    device.snapt.lossRatio = 0.3;
    device.advanceMs(8_000);
    PathStatus spare = device.path(SPARE);
    assertThat(spare.use()).as("%s, seed %d", spare, LoopbackPaths.SEED).isEqualTo("yes");
    assertThat(spare.why()).isEqualTo("it is a spare, and every other link loses 10 % and more");
    long before = device.offeredBytes(SPARE);
    device.advanceMs(1_000);
    assertThat(device.offeredBytes(SPARE) - before).as("most packets").isGreaterThan(60_000);
    device.snapt.lossRatio = 0;
    device.advanceMs(180_000);
    assertThat(device.path(SPARE).use()).as("%s", device.path(LINK)).isEqualTo("spare");
  }

  @Test
  void theSnaptIsToldTheLinkOfEachPath() throws Exception {
    beginWithSpare();
    assertThat(device.snapt.links()).containsExactly("lo", "lo");
  }

  @Test
  void twoLinksToTwoPlacesAreFourPathsAndEachCarriesWhenTheOthersAreDead() throws Exception {
    device.begin(
        device.snapt.twoPlaces(), LoopbackPaths.link(1, false), LoopbackPaths.link(2, false));
    device.advanceMs(1_500);
    assertThat(device.status())
        .extracting(each -> each.id() + " " + each.remote() + " " + each.use())
        .containsExactlyInAnyOrder(
            "0 127.0.0.1 yes", "1 127.0.0.1 yes", "2 0:0:0:0:0:0:0:1 yes", "3 0:0:0:0:0:0:0:1 yes");
    device.snapt.dead = OuterHeader.IPV4;
    device.advanceMs(2_000);
    assertThat(device.status())
        .extracting(each -> each.id() + " " + each.use())
        .as("a place that nothing arrives from, by either link")
        .containsExactlyInAnyOrder("0 no", "1 no", "2 yes", "3 yes");
    device.change(LoopbackPaths.link(1, false), null);
    device.advanceMs(500);
    assertThat(device.status())
        .filteredOn(each -> each.use().equals("yes"))
        .extracting(PathStatus::id)
        .as("the one path that is left")
        .containsExactly(3);
    int before = device.snapt.delivered;
    device.advanceMs(500);
    assertThat(device.snapt.delivered - before).isEqualTo(50);
  }

  @Test
  void pairsBeyondTheAgreedNumberOfPathsAreRefusedButNoLinkIsLeftOut() throws Exception {
    device.begin(
        device.snapt.twoPlaces(),
        LoopbackPaths.link(1, false),
        LoopbackPaths.link(2, false),
        LoopbackPaths.link(3, false));
    device.advanceMs(1_500);
    assertThat(device.status()).as("the session may have four").hasSize(4);
    assertThat(device.refusedPairs()).isEqualTo(2);
    assertThat(device.status())
        .filteredOn(each -> each.remote().equals("127.0.0.1"))
        .as("each link leads to the first place")
        .hasSize(3);
  }

  @Test
  void aSpareLinkStaysOneWhileTheOtherLosesALittle() throws Exception {
    beginWithSpare();
    device.snapt.losingPath = LINK;
    device.snapt.lossRatio = 0.04;
    for (int second = 0; second < 30; second++) {
      device.advanceMs(1_000);
      assertThat(device.path(SPARE).use()).as("%s", device.path(LINK)).isEqualTo("spare");
    }
  }

  @Test
  void aLinkOfBothFamiliesChangesToTheOtherOneAfterOneSilentSecond() throws Exception {
    device.snapt.dead = OuterHeader.IPV4;
    device.begin(LoopbackPaths.link(1, false));
    device.advanceMs(990);
    assertThat(device.family(LINK)).as("within the second").isEqualTo(OuterHeader.IPV4);
    assertThat(device.path(LINK).state()).isEqualTo("dead");
    device.advanceMs(510);
    assertThat(device.family(LINK)).isEqualTo(OuterHeader.IPV6);
    assertThat(device.path(LINK).state()).isEqualTo("usable");
    device.advanceMs(5_000);
    assertThat(device.family(LINK)).as("it works, so it stays").isEqualTo(OuterHeader.IPV6);
  }

  @Test
  void aLinkWhoseIpv6DiesComesBackToIpv4() throws Exception {
    device.snapt.dead = OuterHeader.IPV4;
    device.begin(LoopbackPaths.link(1, false));
    device.advanceMs(2_000);
    assertThat(device.family(LINK)).isEqualTo(OuterHeader.IPV6);
    device.snapt.dead = OuterHeader.IPV6;
    device.advanceMs(8_000);
    assertThat(device.family(LINK)).isEqualTo(OuterHeader.IPV4);
    assertThat(device.path(LINK).state()).isEqualTo("usable");
  }

  @Test
  void eachMoveOfTrafficIsTellOnceWithItsCause() throws Exception {
    UsableLink first = LoopbackPaths.link(1, false);
    UsableLink second = LoopbackPaths.link(2, false);
    device.begin(first);
    device.change(null, second);
    device.advanceMs(2_000);
    assertThat(device.moves).isEmpty();
    UsableLink weak = new UsableLink("lo", 1, first.sources(), 0, LinkUse.YES, -90);
    device.change(first, weak);
    device.advanceMs(1_000);
    assertThat(device.moves).containsExactly("signal");
    device.change(second, null);
    device.advanceMs(1_000);
    assertThat(device.moves).containsExactly("signal", "link");
  }

  @Test
  void anAddressMoreOrOneOfTheOtherFamilyLessChangesNothingOfAPath() throws Exception {
    UsableLink link = LoopbackPaths.link(7, false);
    device.begin(link);
    device.advanceMs(500);
    assertThat(device.path(LINK).use()).isEqualTo("yes");
    UsableLink more = LoopbackPaths.having(link, "127.0.0.1", "::1", "2001:db8::7");
    device.change(link, more);
    assertThat(device.path(LINK).why()).isEqualTo("it answers");
    device.change(more, LoopbackPaths.having(link, "127.0.0.1", "2001:db8::7"));
    assertThat(device.path(LINK).why()).isEqualTo("it answers");
    device.advanceMs(100);
    assertThat(device.path(LINK).sinceMs()).isGreaterThan(500);
  }

  @Test
  void aPathWhoseAddressesAreAllGoneStartsAnew() throws Exception {
    UsableLink link = LoopbackPaths.link(7, false);
    device.begin(link);
    device.advanceMs(500);
    UsableLink both = LoopbackPaths.having(link, "127.0.0.1", "127.0.0.2", "::1");
    device.change(link, both);
    assertThat(device.path(LINK).why()).isEqualTo("it answers");
    device.change(both, LoopbackPaths.having(link, "127.0.0.2", "::1"));
    assertThat(device.path(LINK).why()).isEqualTo("the SNAPT has not answered by it yet");
  }

  @Test
  void whatIsUnderWayByALinkThatMayNotBeUsedAnyMoreArrives() throws Exception {
    device.begin(LoopbackPaths.link(1, false), LoopbackPaths.link(2, false));
    device.advanceMs(2_000);
    device.snapt.sendPacket();
    device.advanceMs(20);
    int before = device.delivered;
    assertThat(before).isPositive();

    device.change(LoopbackPaths.link(1, false), null);
    device.change(LoopbackPaths.link(2, false), LoopbackPaths.link(3, false));
    device.snapt.sendPacket();
    device.receive();
    assertThat(device.delivered).as("the SNAPT does not know yet").isEqualTo(before + 1);
  }

  @Test
  void aLinkThatComesAndGoesHasOnePathThatTheSnaptAllows() throws Exception {
    device.begin(LoopbackPaths.link(1, false), LoopbackPaths.link(2, false));
    device.advanceMs(1_000);
    for (int turn = 0; turn < 20; turn++) {
      device.change(LoopbackPaths.link(2, false), null);
      device.advanceMs(50);
      device.change(null, LoopbackPaths.link(2, false));
      device.advanceMs(50);
      assertThat(device.status()).extracting(PathStatus::id).containsExactly(0, 1);
    }
    for (int link = 2; link < 12; link++) {
      device.change(LoopbackPaths.link(link, false), LoopbackPaths.link(link + 1, false));
      device.advanceMs(100);
      assertThat(device.status())
          .as("link %d", link)
          .hasSize(2)
          .allMatch(each -> each.id() < 4 && each.use().equals("yes"));
    }
  }

  @Test
  void aLinkThatARuleForbidsAndAllowsAgainIsUsedAtOnceHoweverOften() throws Exception {
    UsableLink allowed = LoopbackPaths.link(2, false);
    UsableLink forbidden =
        new UsableLink("lo", 2, allowed.sources(), 0, LinkUse.NO, allowed.weakDbm());
    device.begin(LoopbackPaths.link(1, false), allowed);
    device.advanceMs(1_000);
    for (int turn = 0; turn < 10; turn++) {
      device.change(allowed, forbidden);
      device.change(forbidden, null);
      device.advanceMs(1_000);
      assertThat(device.status()).hasSize(1);
      device.change(null, allowed);
      device.advanceMs(200);
      assertThat(device.status()).as("turn %d", turn).hasSize(2);
      assertThat(device.status()).allMatch(each -> each.use().equals("yes"));
    }
  }
}
