package io.viaduct.snapt.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OfferTest {
  private final List<String> received = new ArrayList<>();
  private boolean takes = true;
  private final Offer<String> offer =
      new Offer<>(value -> {
        received.add(value);
        return takes;
      });

  @Test
  void aValueThatWasTakenIsNotOfferedAgain() {
    assertThat(offer.offer("a")).isFalse();
    assertThat(offer.offer("a")).isFalse();
    assertThat(received).containsExactly("a");
  }

  @Test
  void aReceiverThatFailsOnceGetsTheValueWithTheNextCall() {
    takes = false;
    assertThat(offer.offer("a")).isFalse();
    takes = true;
    assertThat(offer.offer("a")).isFalse();
    assertThat(offer.offer("a")).isFalse();
    assertThat(received).containsExactly("a", "a");
  }

  @Test
  void aReceiverThatAlwaysFailsIsAskedAFewTimesForEachValueAndTheLastTimeIsTold() {
    takes = false;
    for (int i = 1; i < Offer.ATTEMPTS_MAX; i++) {
      assertThat(offer.offer("a")).isFalse();
    }
    assertThat(offer.offer("a")).isTrue();
    assertThat(offer.offer("a")).isFalse();
    assertThat(received).hasSize(Offer.ATTEMPTS_MAX);
    assertThat(offer.offer("b")).isFalse();
    assertThat(received).hasSize(Offer.ATTEMPTS_MAX + 1);
  }
}
