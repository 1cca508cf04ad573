package io.viaduct.testbed.moving;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [SleepDay] in namespaces of its own, with the packaged programs.
class SleepLabIT {
  static final String SECONDS = "SLEEP_SECONDS";
  static final String TOKEN = "TOKEN_LIFETIME";
  static final String TIMES = "SLEEP_TIMES";
  private static final Map<String, String> DAY =
      Map.of(
          SECONDS, System.getProperty("lab.sleep", "12"),
          TOKEN, System.getProperty("lab.token", "8s"),
          TIMES, System.getProperty("lab.sleeps", "3"));

  // Of these, 20 ms are the neighbour discovery: a link that was down has forgotten its gateway.
  private static final double BEYOND_MS_MAX = 50;
  private static final String BEYOND = " echo beyond a round trip: ([\\d.]+) ms\n";

  // One retransmission of the probe and of the stroke, on a machine with other work.
  private static final double SLOWEST_MS_MAX = 1_000;

  @TempDir private Path directory;

  @Test
  void aSocketOutlivesASleepLongerThanTheTokenInTheSameSession() throws Exception {
    String said = UnsharedRun.of(SleepDay.class, "sleep", directory, DAY);
    assertThat(said)
        .contains("sessions: 1\n")
        .contains("ended sessions: 0\n")
        .contains("refused reports: 0\n")
        .containsPattern("carried and charged bytes: [1-9]\\d+\n")
        .containsPattern("an echo after the grace: [\\d.]+ ms\n");
    assertThat(beyondMs("median", said)).as(said).isLessThanOrEqualTo(BEYOND_MS_MAX);
    assertThat(beyondMs("slowest", said)).as(said).isLessThanOrEqualTo(SLOWEST_MS_MAX);
  }

  private static double beyondMs(String which, String said) {
    Matcher found = Pattern.compile(which + BEYOND).matcher(said);
    assertThat(found.find()).as(said).isTrue();
    return Double.parseDouble(found.group(1));
  }
}
