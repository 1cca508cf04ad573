package io.viaduct.service.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SessionOrderTest {
  private final SessionOrder order = new SessionOrder();

  @BeforeEach
  void entries() {
    order.add(1, "a");
    order.add(2, "a");
    order.add(3, "b");
    order.add(4, "a");
  }

  @Test
  void eachSessionHasOneEntryInFlight() {
    assertThat(order.take()).hasValue(1);
    assertThat(order.take()).hasValue(3);
    assertThat(order.take()).isEmpty();
    assertThat(order.busy()).isEqualTo(2);
    order.done(1);
    assertThat(order.take()).hasValue(2);
    order.done(3);
    assertThat(order.take()).isEmpty();
  }

  @Test
  void whatIsSetAsideHoldsUpItsSessionOnlyAndComesFirstAgain() {
    assertThat(order.take()).hasValue(1);
    order.setAside(1);
    assertThat(order.busy()).isEqualTo(1);
    assertThat(order.take()).hasValue(3);
    assertThat(order.take()).isEmpty();
    order.resume();
    assertThat(order.take()).hasValue(1);
    order.done(1);
    assertThat(order.take()).hasValue(2);
  }

  @Test
  void aSessionThatWasEmptyGoesOnWithItsNextEntry() {
    assertThat(order.take()).hasValue(1);
    assertThat(order.take()).hasValue(3);
    order.done(3);
    order.add(5, "b");
    assertThat(order.take()).hasValue(5);
    order.add(6, "b");
    assertThat(order.take()).as("5 is in flight").isEmpty();
  }

  @Test
  void anEntryThatIsNotInFlightCannotEnd() {
    assertThatThrownBy(() -> order.done(1)).isInstanceOf(IllegalStateException.class);
  }
}
