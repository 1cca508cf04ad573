package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.control.SnaptWatch.Watched;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NearerSnaptsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long HOLD = 130; // in s, longer than the first hold time
  private static final Snapt NEAR = new Snapt("near", "near", 443);
  private static final Snapt USED = new Snapt("used", "used", 443);
  private static final Snapt ALSO = new Snapt("also", "also", 443);
  private static final Snapt FULL = new Snapt("full", "full", 443);
  private static final Snapt FAR = new Snapt("far", "far", 443);

  private final TestLine used = new TestLine(USED);
  private final Map<Snapt, Double> prices = new HashMap<>(); // in ms
  private long nowNs = 1;
  private final NearerSnapts<TestLine> nearer =
      new NearerSnapts<>(
          List.of(used),
          _ -> true,
          each -> !FULL.equals(each),
          each -> prices.getOrDefault(each, 0.0),
          new LeftSnapts(),
          () -> nowNs);

  private static Watched watched(Snapt at, double ms) {
    return new Watched(at, at.toString(), ms, 0, 0L);
  }

  private void during(long seconds, Watched... each) {
    for (int i = 0; i < seconds; i++) {
      nowNs += SECOND;
      nearer.measured(List.of(each));
    }
  }

  @Test
  void onlyTheSnaptThatIsClearlyNearerIsSought() {
    during(HOLD, watched(FAR, 80));
    assertThat(used.sought).isNull();
    during(HOLD, watched(FAR, 80), watched(NEAR, 10));
    assertThat(used.sought).isEqualTo(NEAR);
  }

  @Test
  void ofTwoThatAreAboutAsNearTheFirstOfTheDeviceIsSought() {
    during(HOLD, watched(FULL, 8), watched(FAR, 26), watched(ALSO, 12), watched(NEAR, 10));
    assertThat(used.sought).isEqualTo(ALSO);
  }

  @Test
  void oneThatRefusesIsNotSoughtForTenMinutesAndForTwiceAsLongTheNextTime() {
    for (int minutes = 10; minutes <= 40; minutes *= 2) {
      untilSought(watched(FAR, 80), watched(NEAR, 10));
      used.refused();
      during(60 * minutes - 1, watched(FAR, 80), watched(NEAR, 10));
      assertThat(used.sought).as("within %s min", minutes).isNull();
    }
    untilSought(watched(FAR, 80), watched(NEAR, 10));
  }

  private void untilSought(Watched... each) {
    for (int i = 0; i < 10 && used.sought == null; i++) {
      during(60, each);
    }
    assertThat(used.sought).isEqualTo(NEAR);
  }

  @Test
  void theSnaptThatIsLeftIsNotSoughtAgainForHalfAnHour() {
    LeftSnapts left = new LeftSnapts();
    left.leaves(NEAR, 0);
    assertThat(left.has(NEAR, LeftSnapts.HOLD_NS - 1)).isTrue();
    assertThat(left.has(FAR, 0)).isFalse();
    assertThat(left.has(NEAR, LeftSnapts.HOLD_NS)).isFalse();
  }

  @Test
  void oneThatLeavesTheListIsNotSoughtAnyMoreAlsoIfNothingElseIsFree() {
    during(HOLD, watched(NEAR, 10));
    assertThat(used.sought).isEqualTo(NEAR);
    during(1);
    assertThat(used.sought).isNull();
    during(HOLD, watched(NEAR, 10));
    assertThat(used.sought).isEqualTo(NEAR);
    during(1, watched(FAR, 5));
    assertThat(used.sought).as("another one is not the one that was sought").isNull();
  }

  @Test
  void theOneThatIsAskedMayBeMissingAmongTheFreeOnes() {
    during(HOLD, watched(NEAR, 10));
    used.isMoving = true;
    during(5);
    assertThat(used.sought).isEqualTo(NEAR);
    used.isMoving = false;
    during(1);
    assertThat(used.sought).isNull();
  }

  @Test
  void aDearSnaptMustBeNearerByWhatItsPriceIsWorth() {
    prices.put(NEAR, 15.0);
    during(HOLD, watched(NEAR, 12));
    assertThat(used.sought).as("27 ms are not clearly less than 30").isNull();
    prices.put(NEAR, 5.0);
    during(HOLD, watched(NEAR, 12));
    assertThat(used.sought).isEqualTo(NEAR);
    prices.put(NEAR, 15.0);
    during(1, watched(NEAR, 12));
    assertThat(used.sought).as("it became dearer").isNull();
  }

  @Test
  void aDearSnaptIsLeftForACheaperOneThatIsAsNear() {
    prices.put(USED, 20.0);
    during(HOLD, watched(ALSO, 31));
    assertThat(used.sought).isEqualTo(ALSO);
  }
}
