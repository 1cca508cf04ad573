package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.terms.OuterHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Links that answer nothing, little, or lose for ever, beside one that works: what they cost, and
/// how often traffic moves. With real sockets and the clock of the test.
class FailingLinksTest {
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
  }

  /// Begins with one link, beside which a further one comes up by which nothing ever arrives.
  private void beginBesideSilence(boolean isSpare) throws Exception {
    device.begin(LoopbackPaths.link(1, false));
    device.idleMs(1_000);
    device.snapt.losesNewSources = true;
    device.change(null, LoopbackPaths.link(2, isSpare));
  }

  @Test
  void aSpareLinkThatNeverAnswersCostsOneProbeIn25SecondsAfterASearchOfAMinute() throws Exception {
    beginBesideSilence(true);
    device.idleMs(60_000);
    assertThat(device.snapt.lost).as("probes and padded messages, of each family").isLessThan(20);
    device.snapt.lost = 0;
    device.snapt.lostBytes = 0;
    device.idleMs(600_000);
    assertThat(device.snapt.lost).isBetween(600 / 25 - 1, 600 / 25 + 1);
    assertThat(device.snapt.lostBytes).as("no padded messages").isLessThan(25 * 140);
    assertThat(device.path(SPARE).use()).isEqualTo("no");
  }

  @Test
  void aFurtherLinkThatNeverAnswersCostsOneProbeInTenSeconds() throws Exception {
    beginBesideSilence(false);
    device.idleMs(60_000);
    device.snapt.lost = 0;
    device.idleMs(600_000);
    assertThat(device.snapt.lost).isBetween(59, 61);
  }

  @Test
  void aSpareLinkThatAnsweredAndDiedCostsOneProbeIn25Seconds() throws Exception {
    beginWithSpare();
    device.snapt.losingPath = SPARE;
    device.snapt.lossRatio = 1;
    device.idleMs(120_000);
    assertThat(device.path(SPARE).state()).isEqualTo("dead");
    device.snapt.lost = 0;
    device.idleMs(600_000);
    assertThat(device.snapt.lost).isBetween(600 / 25 - 1, 600 / 25 + 1);
  }

  @Test
  void aSilentLinkIsAskedAtOnceWhenTheLastOtherOneDies() throws Exception {
    beginBesideSilence(true);
    device.idleMs(300_000);
    device.snapt.losesNewSources = false;
    device.snapt.losingPath = LINK;
    device.snapt.lossRatio = 1;
    device.advanceMs(3_000);
    assertThat(device.path(LINK).state()).isEqualTo("dead");
    assertThat(device.path(SPARE).state()).as("the SNAPT answers by it now").isEqualTo("spare");
    int before = device.snapt.delivered;
    device.advanceMs(1_000);
    assertThat(device.snapt.delivered - before).isGreaterThanOrEqualTo(99);
  }

  @Test
  void aSearchWithLongPausesTriesBothFamiliesInTurn() throws Exception {
    device.begin(LoopbackPaths.having(LoopbackPaths.link(1, false), "::1"));
    device.idleMs(1_000);
    device.snapt.losesNewSources = true;
    device.change(null, LoopbackPaths.link(2, true));
    device.idleMs(120_000);
    device.snapt.losesNewSources = false;
    device.snapt.dead = OuterHeader.IPV4;
    device.idleMs(51_000);
    assertThat(device.family(SPARE)).isEqualTo(OuterHeader.IPV6);
    assertThat(device.path(SPARE).state()).isEqualTo("spare");
  }

  /// Returns how often the traffic moves to the other path.
  private int movesOfTraffic(int seconds) throws Exception {
    int moves = 0;
    int by = LINK;
    for (int tenth = 0; tenth < 10 * seconds; tenth++) {
      long link = device.offeredBytes(LINK);
      long spare = device.offeredBytes(SPARE);
      device.advanceMs(100);
      link = device.offeredBytes(LINK) - link;
      spare = device.offeredBytes(SPARE) - spare;
      int most = link > spare ? LINK : SPARE;
      moves += most == by ? 0 : 1;
      by = most;
    }
    return moves;
  }

  /// Returns how often the use of a path changes while the device is idle.
  private int changesOfUse(int path, int seconds) throws Exception {
    int changes = 0;
    String use = device.path(path).use();
    for (int turn = 0; turn < 50 * seconds; turn++) {
      device.idleMs(20);
      String now = device.path(path).use();
      changes += now.equals(use) ? 0 : 1;
      use = now;
    }
    return changes;
  }

  @Test
  void aLinkThatGoesOnLosingIsLeftAndTriedSeldom() throws Exception {
    beginWithSpare();
    device.snapt.losingPath = LINK;
    device.snapt.arrives = number -> number % 5 != 0;
    device.advanceMs(8_000);
    assertThat(device.path(LINK).use()).isEqualTo("spare");
    assertThat(device.path(LINK).state()).isEqualTo("losing");
    assertThat(device.path(LINK).why()).startsWith("it loses 10 % and more, and a spare works");
    assertThat(movesOfTraffic(300))
        .as("it is tried after 1 and 2 minutes; %s", device.path(LINK))
        .isBetween(1, 1 + 4);
  }

  @Test
  void aPathThatAnswersFewOfItsProbesIsUsedEverMoreSeldom() throws Exception {
    device.begin(device.snapt.twoPlaces(), LoopbackPaths.link(1, false));
    device.advanceMs(2_000);
    device.snapt.losingPath = LINK;
    device.snapt.arrives = number -> number % 6 == 0;
    assertThat(changesOfUse(LINK, 300)).as("%s", device.path(LINK)).isBetween(1, 8);
  }

  private int spareProbes(Runnable probing, int everyMs, int seconds) throws Exception {
    int before = device.snapt.arrivedBy(SPARE);
    for (int ms = 0; ms < 1_000 * seconds; ms += everyMs) {
      device.on(probing);
      device.idleMs(everyMs);
    }
    return device.snapt.arrivedBy(SPARE) - before;
  }

  @Test
  void aSpareLinkRestsWhileAnotherOneIsAskedWhetherTheSnaptIsThere() throws Exception {
    beginWithSpare();
    device.idleMs(60_000);
    int before = device.snapt.arrivedBy(LINK);
    int spare =
        spareProbes(() -> device.paths().probes().alive(Carrier.UDP, device.nowNs), 200, 300);
    assertThat(spare).isBetween(300 / 25 - 1, 300 / 25 + 1);
    assertThat(device.snapt.arrivedBy(LINK) - before).isGreaterThanOrEqualTo(1_500);
  }

  @Test
  void aSpareLinkRestsWhileTheControlConnectionCarriesTheData() throws Exception {
    beginWithSpare();
    device.idleMs(60_000);
    int before = device.snapt.arrivedBy(LINK);
    int spare = spareProbes(() -> device.paths().probes().byUdp(device.nowNs), 1_000, 300);
    assertThat(spare).isBetween(300 / 25 - 1, 300 / 25 + 1);
    assertThat(device.snapt.arrivedBy(LINK) - before).isGreaterThanOrEqualTo(300);
  }

  @Test
  void pathsThatTheControlConnectionStandsForMakeNoTickDue() throws Exception {
    device.begin(LoopbackPaths.link(1, false), LoopbackPaths.link(2, false));
    device.idleMs(1_000);
    long[] nextNs = new long[1];
    device.on(() -> {
      device.paths().networkChanged(device.nowNs);
      device.nowNs += 1_000_000_000;
      device.paths().tick(Carrier.CONTROL, device.nowNs);
      device.paths().tick(Carrier.CONTROL, device.nowNs);
      nextNs[0] = device.paths().nextTickNs(device.nowNs);
    });
    assertThat(nextNs[0]).isGreaterThan(device.nowNs);
  }
}
