package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.egress.Outage;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ReachWatchTest {
  private final AtomicBoolean reaches = new AtomicBoolean(true);

  @Test
  void aMoveToANetworkThatAnswersNothingOpensTheDirectWayUntilTheTunnelIsReached()
      throws Exception {
    CountDownLatch opened = new CountDownLatch(1);
    CountDownLatch shut = new CountDownLatch(1);
    Outage.Gate gate =
        new Outage.Gate() {
          @Override
          public void open() {
            opened.countDown();
          }

          @Override
          public void shut() {
            shut.countDown();
          }
        };
    try (Outage outage = new Outage(gate, Duration.ofMillis(1))) {
      outage.carries(true); // the Welcome
      ReachWatch watch = new ReachWatch(reaches::get, outage::carries);
      watch.look();
      reaches.set(false); // nothing is found dead: the paths of the new network are searched
      watch.look();
      watch.look();
      assertThat(opened.await(10, TimeUnit.SECONDS)).isTrue();
      reaches.set(true);
      watch.look();
      assertThat(shut.await(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aPathThatIsDeadBesideAStandingConnectionIsLeftToItsOwnReport() {
    AtomicBoolean told = new AtomicBoolean();
    new ReachWatch(reaches::get, _ -> told.set(true)).look();
    assertThat(told).isFalse();
  }
}
