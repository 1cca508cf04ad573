package io.viaduct.testbed.moving;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [FamiliesDay] in namespaces of its own, with the packaged programs.
class FamiliesLabIT {
  @TempDir private Path directory;

  @Test
  void aDownloadOverIpv4GoesOnOverIpv6WhenItsLinkGoesDownAndBack() throws Exception {
    assertThat(UnsharedRun.of(FamiliesDay.class, "families", directory, Map.of()))
        .contains("bytes: 120000000\n", "SHA-256 right: true\n", "same session: true\n");
  }
}
