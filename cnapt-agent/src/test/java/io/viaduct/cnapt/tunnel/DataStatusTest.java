package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.tunnel.DataStatus.SnaptStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

class DataStatusTest {
  @Test
  void beforeTheFirstWelcomeEachEndIsShownWithoutASession() throws Exception {
    try (EndRig rig = new EndRig()) {
      DataStatus status =
          rig.on(() -> DataStatus.of(List.of(rig.end(), rig.end()), rig.carried, rig.refusals, 0));
      assertThat(status.pathState()).isEqualTo("none");
      assertThat(status.snapts()).extracting(SnaptStatus::state).containsExactly("none", "none");
      assertThat(status.snapts()).allMatch(each -> each.roundTripMs() == null && each.flows() == 0);
    }
  }

  @Test
  void anEndThatRestsHasNoSessionUntilTheNextWelcome() throws Exception {
    try (EndRig rig = new EndRig()) {
      TunnelEnd first = rig.on(rig::end);
      TunnelEnd second = rig.on(rig::end);
      List<String> states =
          rig.on(() -> {
            first.install(EndRig.parameters("snapt-1"));
            second.install(EndRig.parameters("snapt-2"));
            second.told(true, 0);
            assertThat(second.isLeaving()).isTrue();
            assertThat(second.isEmptied()).isTrue();
            second.rest();
            return DataStatus.of(List.of(first, second), rig.carried, rig.refusals, 0)
                .snapts()
                .stream()
                .map(SnaptStatus::state)
                .toList();
          });
      assertThat(states.getFirst()).isNotEqualTo("none");
      assertThat(states.getLast()).isEqualTo("none");
      assertThat(second.isLeaving()).isFalse();
      assertThat(
              rig.on(() -> {
                second.install(EndRig.parameters("snapt-2"));
                return second.session() != null;
              }))
          .isTrue();
    }
  }
}
