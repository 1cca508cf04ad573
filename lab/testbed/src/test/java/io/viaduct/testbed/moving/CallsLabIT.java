package io.viaduct.testbed.moving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.viaduct.testbed.process.Unshared;
import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [CallsDay] in namespaces of its own, with the packaged programs and baresip. The system property
/// `viaduct.hand-overs` sets the number of hand-overs.
class CallsLabIT {
  /// The aim is a round trip and 60 ms; a shared machine with two cores has paused for longer.
  private static final double GAP_MS_MAX = 600;

  @TempDir private Path directory;

  @Test
  void aCallBetweenTwoDevicesGoesOnWhileTheirLinksAreLost() throws Exception {
    assumeFalse(
        Baresip.modules().isEmpty(),
        "skipped: baresip is not installed (apt-get install baresip-core)");
    int handOvers = Integer.getInteger("viaduct.hand-overs", 3);
    String said =
        UnsharedRun.of(
            CallsDay.class,
            "calls",
            directory,
            Map.of(CallsDay.HAND_OVERS, Integer.toString(handOvers)));
    assumeFalse(said.contains("skipped: "), "skipped: no nftables here");

    Unshared.Ended ended = new Unshared.Ended(0, said);
    List<Double> gaps = ended.numbers("gap ms");
    assertThat(gaps).as(said).hasSize(2 * (1 + handOvers)).allMatch(gap -> gap < GAP_MS_MAX);
    assertThat(ended.numbers("audible")).as(said).allMatch(packets -> packets > 0);
    assertThat(UnsharedRun.number(said, "INVITEs of alice"))
        .as("with and without digest")
        .isEqualTo(2);
    assertThat(UnsharedRun.number(said, "INVITEs at bob")).isEqualTo(1);
  }
}
