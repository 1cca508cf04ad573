package io.viaduct.testbed.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EModelTest {
  @Test
  void theDefaultsOfG107GiveItsRatingAndItsScore() {
    assertThat(EModel.of(0, 0).rating()).isCloseTo(93.2, within(0.05));
    assertThat(EModel.of(0, 0).mos()).isCloseTo(4.41, within(0.005));
  }

  @ParameterizedTest
  @CsvSource({"90, 4.34", "80, 4.03", "70, 3.60", "60, 3.10", "50, 2.58", "0, 1", "100, 4.5"})
  void aScoreIsThatOfTableB1(double rating, double mos) {
    assertThat(new EModel(rating).mos()).isCloseTo(mos, within(0.01));
  }

  @Test
  void halfOfTheRangeIsLostWhenTheLossIsTheRobustnessOfTheCodec() {
    double lossless = EModel.of(0, 0).rating();
    assertThat(lossless - EModel.of(0, 4.3).rating()).isCloseTo(95 / 2.0, within(1e-9));
  }

  /// Without echo the delay of 400 ms costs 24 (Idd); echo at the default loudness adds to it.
  @Test
  void longDelaysDisturbConversations() {
    assertThat(EModel.of(20, 0).rating()).isGreaterThan(92);
    assertThat(EModel.of(150, 0).rating()).isBetween(88.0, 91.0);
    assertThat(EModel.of(400, 0).rating()).isBetween(55.0, 93.2 - 24);
  }

  @Test
  void noDelayAndNoLossMakesACallBetter() {
    for (double loss = 0; loss < 100; loss += 2.5) {
      for (double delay = 0; delay < 2000; delay += delay < 20 ? 0.5 : 20) {
        double rating = EModel.of(delay, loss).rating();
        assertThat(rating)
            .as("%s ms, %s %%", delay, loss)
            .isBetween(0.0, 93.3)
            .isGreaterThanOrEqualTo(EModel.of(delay + 0.5, loss).rating())
            .isGreaterThanOrEqualTo(EModel.of(delay, loss + 2.5).rating());
      }
    }
  }

  @Test
  void delaysAndLossesThatCannotBeAreRefused() {
    assertThatThrownBy(() -> EModel.of(-1, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> EModel.of(Double.NaN, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> EModel.of(0, 101)).isInstanceOf(IllegalArgumentException.class);
  }
}
