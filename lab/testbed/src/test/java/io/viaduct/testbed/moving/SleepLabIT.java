package io.viaduct.testbed.moving;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [SleepDay] in namespaces of its own, with the packaged programs.
class SleepLabIT {
  static final String SECONDS = "SLEEP_SECONDS";
  static final String TOKEN = "TOKEN_LIFETIME";
  private static final Map<String, String> DAY =
      Map.of(
          SECONDS, System.getProperty("lab.sleep", "40"),
          TOKEN, System.getProperty("lab.token", "20s"));

  @TempDir private Path directory;

  @Test
  void aSocketOutlivesASleepLongerThanTheTokenInTheSameSession() throws Exception {
    String said = UnsharedRun.of(SleepDay.class, "sleep", directory, DAY);
    assertThat(said)
        .contains("sessions: 1\n")
        .contains("ended sessions: 0\n")
        .contains("refused reports: 0\n")
        .containsPattern("ms from the resume to the echo: \\d+\n")
        .containsPattern("ms of an echo after the grace: \\d+\n");
  }
}
