package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RepetitionsTest {
  private static final Map<String, String> RUN = Map.of("seed", "1", "commit", "abc");

  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("new").resolve("repetitions.jsonl");
  }

  @Test
  void aRunThatIsResumedHasTheRepetitionsOfTheFormerOne() throws Exception {
    Repetitions first = Repetitions.begin(file, RUN);
    first.add("link-down", "viaduct", Map.of(Reading.PROBES, 3.5));
    first.add("link-down", "viaduct", Map.of(Reading.SESSIONS, 1.0));
    Repetitions second = Repetitions.resume(file, RUN);
    second.add("link-down", "viaduct", Map.of(Reading.PROBES, 4.0));
    for (Repetitions all : new Repetitions[] {second, Repetitions.resume(file, RUN)}) {
      assertThat(all.count("link-down", "viaduct")).isEqualTo(3);
      assertThat(all.of("link-down", "viaduct", Reading.PROBES)).containsExactly(3.5, 4.0);
      assertThat(all.count("link-down", "openvpn")).isZero();
    }
  }

  @Test
  void aLineThatWasCutOffIsLeftOut() throws Exception {
    Repetitions.begin(file, RUN).add("flap", "viaduct", Map.of(Reading.PROBES, 1.0));
    Files.writeString(file, "{\"event\":\"fl", StandardOpenOption.APPEND);
    Repetitions resumed = Repetitions.resume(file, RUN);
    resumed.add("flap", "viaduct", Map.of(Reading.PROBES, 2.0));
    assertThat(Repetitions.resume(file, RUN).of("flap", "viaduct", Reading.PROBES))
        .containsExactly(1.0, 2.0);
  }

  @Test
  void aRunOfAnotherSeedOrCommitIsNotResumed() throws Exception {
    Repetitions.begin(file, RUN);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Repetitions.resume(file, Map.of("seed", "2", "commit", "abc")))
        .withMessageContaining("seed=2")
        .withMessageContaining("leave the option out");
  }

  @Test
  void thereMustBeARunToResume() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Repetitions.resume(file, RUN))
        .withMessageContaining(file.toString());
  }

  @Test
  void aNewRunForgetsTheFormerOne() throws Exception {
    Repetitions.begin(file, RUN).add("flap", "viaduct", Map.of(Reading.PROBES, 1.0));
    assertThat(Repetitions.begin(file, RUN).count("flap", "viaduct")).isZero();
    assertThat(Repetitions.resume(file, RUN).count("flap", "viaduct")).isZero();
  }
}
