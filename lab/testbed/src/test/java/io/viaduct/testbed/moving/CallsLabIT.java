package io.viaduct.testbed.moving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.viaduct.testbed.call.Baresip;
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

  /// Agents and user agents of two devices.
  private static final double REGISTRATIONS = 4;

  @TempDir private Path directory;

  @Test
  void callsOfTwoDevicesGoOnWhileTheirLinksAreLostAndAlsoAtOneSnapt() throws Exception {
    assumeTrue(
        Baresip.isInstalled(), "skipped: baresip is not installed (apt-get install baresip-core)");
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
    int talks = 1 + handOvers + 1; // before, between, and at one SNAPT
    assertThat(gaps).as(said).hasSize(2 * talks).allMatch(gap -> gap < GAP_MS_MAX);
    assertThat(ended.numbers("audible")).as(said).allMatch(packets -> packets > 0);
    assertThat(ended.numbers("registrations")).as(said).allMatch(each -> each == REGISTRATIONS);
    assertThat(UnsharedRun.number(said, "INVITEs of alice"))
        .as("with and without digest")
        .isEqualTo(2);
    assertThat(UnsharedRun.number(said, "INVITEs at bob")).isEqualTo(1);
    assertThat(said).contains("alice is: snapt-1", "bob is: snapt-1");
    assertThat(UnsharedRun.number(said, "turned")).as(said).isPositive();
  }
}
