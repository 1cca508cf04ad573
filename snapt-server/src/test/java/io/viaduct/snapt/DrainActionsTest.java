package io.viaduct.snapt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.service.operations.OperationsAction;
import io.viaduct.snapt.control.DrainStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DrainActionsTest {
  @TempDir Path folder;

  @Test
  void theBridgeIsToldAfterTheStateHasChangedAndNothingIfThatFails() throws Exception {
    List<DrainStatus> announced = new ArrayList<>();
    TestSnapt snapt =
        new TestSnapt(new TestOperator(folder.resolve("pki")), folder, 1, Duration.ofSeconds(30));
    Map<String, OperationsAction> actions =
        DrainActions.of(
            snapt.control,
            () -> Instant.ofEpochMilli(1_000),
            () -> announced.add(snapt.control.drainStatus()));
    try (snapt) {
      for (int i = 0; i < 50; i++) { // a race would show in some of them
        actions.get(DrainActions.DRAIN).act(Map.of(DrainActions.DEADLINE, "4000000"));
        actions.get(DrainActions.UNDRAIN).act(Map.of());
      }
      assertThat(announced).hasSize(100);
      for (int i = 0; i < announced.size(); i++) {
        assertThat(announced.get(i).draining()).as("announcement %d", i).isEqualTo(i % 2 == 0);
      }
      assertThat(announced.getFirst().deadlineMs()).isEqualTo(4_001_000);
      announced.clear();
    }
    assertThatThrownBy(() -> actions.get(DrainActions.DRAIN).act(Map.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("stopping");
    assertThat(announced).isEmpty();
  }
}
