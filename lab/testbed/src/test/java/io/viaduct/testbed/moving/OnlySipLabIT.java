package io.viaduct.testbed.moving;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [OnlySipDay] in namespaces of its own, with the packaged programs.
class OnlySipLabIT {
  @TempDir private Path directory;

  @Test
  void aDeviceWhoseNetworkPassesSipOnlySaysSoWithItsRoundTrip() throws Exception {
    String said = UnsharedRun.of(OnlySipDay.class, "only-sip", directory, Map.of());
    assertThat(said)
        .contains("alone beside the tunnel: false\n", "round trip beside the tunnel: true\n")
        .containsPattern("reasons: .*only SIP passes: the bridge \\S+ answers in [0-9.]+ ms")
        .contains("round trip alone: true\n", "alone again beside the tunnel: false\n");
  }
}
