package io.viaduct.tunnel.flow;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpreadStateTest {
  private final SpreadState state = new SpreadState();

  @Test
  void onePathIsEnoughSinceThePacketsTakeItAndFindNoQueue() {
    state.spread(500, 1_000);
    state.took(0, false, 2_000);
    state.took(0, false, 3_000);
    assertThat(state.neededNs()).isEqualTo(2_000);
    state.took(1, false, 4_000);
    assertThat(state.neededNs()).isEqualTo(4_000);
  }

  @Test
  void aFullPathIsNotEnoughThoughAllPacketsTakeIt() {
    state.spread(500, 1_000);
    state.took(0, false, 2_000);
    state.took(0, true, 3_000);
    state.took(0, false, 4_000);
    assertThat(state.neededNs()).isEqualTo(3_000);
  }
}
