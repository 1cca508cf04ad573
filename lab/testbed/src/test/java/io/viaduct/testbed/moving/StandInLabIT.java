package io.viaduct.testbed.moving;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [SnaptDiesDay] of a device with one session. It takes three minutes, because a stand-in is
/// closed when its flows have been idle for one; so others run beside it.
class StandInLabIT {
  @TempDir private Path directory;

  @Test
  void aDeviceWithOneSessionHasAStandInForNewFlowsWhileItsSnaptDrainsOrIsAway() throws Exception {
    String said =
        UnsharedRun.of(
            SnaptDiesDay.class, "snapt-dies-1", directory, Map.of(SnaptDiesDay.SESSIONS, "1"));
    SnaptDiesLabIT.check(said);
    assertThat(said).contains("new call at the stand-in: true\n").contains("new call lost: 0\n");
    assertThat(said).contains("after the drain at: carrying\n");
    assertThat(said).contains("SNAPTs in use: carrying\n");
  }
}
