package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.session.PathUse;
import java.util.List;
import org.junit.jupiter.api.Test;

class UseRuleTest {
  private record Path(
      boolean isAlive, boolean ready, boolean isWeak, boolean isSpare, boolean isLosingBadly)
      implements UseRule.Facts {
    Path(boolean isAlive, boolean ready, boolean isWeak, boolean isSpare) {
      this(isAlive, ready, isWeak, isSpare, false);
    }

    @Override
    public boolean isReady(long nowNs) {
      return ready;
    }
  }

  private static final Path GOOD = new Path(true, true, false, false);
  private static final Path WEAK = new Path(true, true, true, false);
  private static final Path SPARE = new Path(true, true, false, true);
  private static final Path BAD = new Path(true, true, false, false, true);
  private static final Path WEAK_SPARE = new Path(true, true, true, true);
  private static final Path BAD_SPARE = new Path(true, true, false, true, true);
  private static final Path HELD = new Path(true, false, false, false);
  private static final Path DEAD = new Path(false, false, false, false);

  private static List<PathUse> uses(Path... paths) {
    List<Path> all = List.of(paths);
    return all.stream().map(each -> UseRule.of(each, all, 0)).toList();
  }

  @Test
  void aWeakLinkIsLeftWhileItWorksAlsoForASpareOne() {
    assertThat(uses(WEAK, GOOD)).containsExactly(PathUse.NO, PathUse.YES);
    assertThat(uses(WEAK, SPARE)).containsExactly(PathUse.NO, PathUse.SPARE);
  }

  @Test
  void aWeakLinkStaysWhileNothingBetterWorks() {
    assertThat(uses(WEAK)).containsExactly(PathUse.YES);
    assertThat(uses(WEAK, WEAK)).containsExactly(PathUse.YES, PathUse.YES);
    assertThat(uses(WEAK, DEAD)).containsExactly(PathUse.YES, PathUse.NO);
    assertThat(uses(WEAK, HELD)).containsExactly(PathUse.YES, PathUse.NO);
  }

  @Test
  void aSpareLinkIsUsedWhileEveryOtherOneThatWorksLosesBadly() {
    assertThat(uses(BAD, SPARE)).containsExactly(PathUse.SPARE, PathUse.YES);
    assertThat(uses(BAD, DEAD, SPARE)).containsExactly(PathUse.SPARE, PathUse.NO, PathUse.YES);
    assertThat(uses(BAD, HELD, SPARE)).containsExactly(PathUse.SPARE, PathUse.NO, PathUse.YES);
  }

  @Test
  void aSpareLinkCostsNothingWhileOneLinkIsGoodOrItIsNoBetterItself() {
    assertThat(uses(BAD, GOOD, SPARE)).containsExactly(PathUse.YES, PathUse.YES, PathUse.SPARE);
    assertThat(uses(BAD, BAD_SPARE)).containsExactly(PathUse.YES, PathUse.SPARE);
    assertThat(uses(BAD, BAD)).containsExactly(PathUse.YES, PathUse.YES);
    assertThat(uses(BAD, WEAK_SPARE)).containsExactly(PathUse.YES, PathUse.NO);
    assertThat(uses(DEAD, SPARE)).containsExactly(PathUse.NO, PathUse.SPARE);
    assertThat(uses(SPARE)).containsExactly(PathUse.SPARE);
  }

  @Test
  void aPathInItsHoldTimeCarriesDataOnlyWhileNoOtherIsReady() {
    assertThat(uses(HELD, GOOD)).containsExactly(PathUse.NO, PathUse.YES);
    assertThat(uses(HELD, DEAD)).containsExactly(PathUse.YES, PathUse.NO);
    assertThat(uses(DEAD, DEAD)).containsExactly(PathUse.YES, PathUse.YES);
  }
}
