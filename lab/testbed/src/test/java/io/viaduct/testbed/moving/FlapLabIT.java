package io.viaduct.testbed.moving;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [FlapDay] in namespaces of its own, with the packaged programs.
class FlapLabIT {
  @TempDir private Path directory;

  @Test
  void aLinkThatFlapsTenTimesCostsAtMostOneConnectionAndNoPacketWhileTheOtherStands()
      throws Exception {
    String said = UnsharedRun.of(FlapDay.class, "flap", directory, Map.of());
    assertThat(said)
        .contains("sessions: 1\n")
        .containsPattern("TLS connections: [01]\n")
        .containsPattern("registrations: [01]\n")
        .contains("lost: 0\n");
  }
}
