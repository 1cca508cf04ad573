package io.viaduct.testbed.weather;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Statistics and limits of [LinkModel].
class LinkModelTest {
  private static final int FRAMES = 200_000;

  private final LinkCounters counters = new LinkCounters();
  private final LinkModel model = new LinkModel(1000, new SplittableRandom(7), counters);

  private void weather(String settings) {
    model.change(0, WeatherText.apply(Weather.CLEAR, List.of(settings.split(" "))));
  }

  private boolean arrives(long nowNs) {
    model.offer(nowNs, model.acquire(), 100);
    int slot = model.takeDue(nowNs);
    if (slot != LinkModel.NONE) {
      model.release(slot);
    }
    return slot != LinkModel.NONE;
  }

  @Test
  void independentLossIsWithinItsBinomialBound() {
    weather("loss=2%");
    int lost = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
      lost += arrives(frame) ? 0 : 1;
    }
    double deviation = Math.sqrt(FRAMES * 0.02 * 0.98);
    assertThat((double) lost)
        .isBetween(FRAMES * 0.02 - 4 * deviation, FRAMES * 0.02 + 4 * deviation);
  }

  @Test
  void lossInBurstsHasTheLossAndTheLengthThatWereAsked() {
    weather("loss=5% burst=8");
    int lost = 0;
    int bursts = 0;
    boolean before = true;
    for (int frame = 0; frame < FRAMES; frame++) {
      boolean arrived = arrives(frame);
      lost += arrived ? 0 : 1;
      bursts += !arrived && before ? 1 : 0;
      before = arrived;
    }
    assertThat((double) lost / FRAMES).isBetween(0.044, 0.056);
    assertThat((double) lost / bursts).isBetween(7.2, 8.8);
  }

  @Test
  void aFullQueueDelaysByItsLengthAtTheRateAndThenDrops() {
    weather("rate=1mbit queue=2000B");
    for (int frame = 0; frame < 30; frame++) {
      model.offer(0, model.acquire(), 100);
    }
    assertThat(counters.get(Fate.QUEUE_FULL)).isEqualTo(10);
    assertThat(model.takeDue(799_999)).isEqualTo(LinkModel.NONE);
    assertThat(model.takeDue(800_000)).isNotEqualTo(LinkModel.NONE);
    long lastNs = 2000 * 8 * 1000;
    for (int frame = 0; frame < 18; frame++) {
      assertThat(model.takeDue(lastNs - 1)).isNotEqualTo(LinkModel.NONE);
    }
    assertThat(model.takeDue(lastNs - 1)).isEqualTo(LinkModel.NONE);
    assertThat(model.takeDue(lastNs)).isNotEqualTo(LinkModel.NONE);
  }

  @Test
  void everySlotComesBackWhateverHappensToItsFrame() {
    weather("delay=1ms jitter=1ms reorder=on loss=30% duplicate=30% rate=100mbit queue=50p");
    var random = new SplittableRandom(1);
    long nowNs = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
      nowNs += random.nextInt(10_000);
      int slot = model.acquire();
      assertThat(slot).isNotEqualTo(LinkModel.NONE);
      model.offer(nowNs, slot, 100);
      for (slot = model.takeDue(nowNs); slot != LinkModel.NONE; slot = model.takeDue(nowNs)) {
        model.release(slot);
      }
    }
  }

  @Test
  void aFrameInTransmissionGoesOnAtTheNewRate() {
    weather("rate=1mbit");
    model.offer(0, model.acquire(), 100); // 800 µs
    model.change(400_000, WeatherText.apply(Weather.CLEAR, List.of("rate=10mbit")));
    assertThat(model.takeDue(439_999)).isEqualTo(LinkModel.NONE);
    assertThat(model.takeDue(440_000)).isNotEqualTo(LinkModel.NONE);
  }
}
