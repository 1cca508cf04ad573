package io.viaduct.testbed.moving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.viaduct.testbed.call.Baresip;
import io.viaduct.testbed.process.Alone;
import io.viaduct.testbed.process.Unshared;
import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [CallsDay] in namespaces of its own, with the packaged programs and baresip. The system property
/// `viaduct.hand-overs` sets the number of hand-overs.
@Alone
class CallsLabIT {
  /// Slack of the assertion on a busy machine, in pauses of it: a packet of a call passes six
  /// processes, and each may wait. The bound itself is one round trip + 60 ms; against that each
  /// gap is printed as won or lost.
  private static final int SLACK_PAUSES = 6;

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
    List<Double> roundTrips = ended.numbers("round trip ms");
    List<Double> pauses = ended.numbers("pause ms");
    assertThat(gaps).as(said).hasSize(2 * talks);
    for (int talk = 0; talk < talks; talk++) {
      assertThat(gaps.subList(2 * talk, 2 * talk + 2))
          .as("talk %d of %s", talk, said)
          .allMatch(
              under(roundTrips.get(talk) + CallsDay.GAP_MS_MAX + SLACK_PAUSES * pauses.get(talk)));
    }
    List<String> lines = said.lines().toList();
    assertThat(lines)
        .filteredOn(line -> line.matches("1 round trip \\+ 60 ms: \\d+ ms of \\d+: (won|lost)"))
        .hasSize(2 * talks);
    assertThat(lines)
        .filteredOn(line -> line.matches("left the audio's link: link[AB]"))
        .hasSize(handOvers);
    assertThat(ended.numbers("audible")).as(said).allMatch(packets -> packets > 0);
    assertThat(ended.numbers("registrations")).as(said).allMatch(each -> each == REGISTRATIONS);
    assertThat(UnsharedRun.number(said, "INVITEs of alice"))
        .as("with and without digest")
        .isEqualTo(2);
    assertThat(UnsharedRun.number(said, "INVITEs at bob")).isEqualTo(1);
    assertThat(said).contains("alice is: snapt-1", "bob is: snapt-1");
    assertThat(UnsharedRun.number(said, "turned")).as(said).isPositive();
  }

  private static Predicate<Double> under(double limit) {
    return gap -> gap <= limit;
  }
}
