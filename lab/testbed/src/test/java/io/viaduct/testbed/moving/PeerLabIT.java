package io.viaduct.testbed.moving;

import static io.viaduct.testbed.process.UnsharedRun.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// [PeerDay] in namespaces of its own, with the packaged programs.
class PeerLabIT {
  /// 4 paths, 2 probes a second, 5 s; a few more as the busy machine allows.
  private static final double PROBES_LEAST = 30;

  private static final double PROBES_MOST = 60;

  @TempDir private Path directory;

  @Test
  void socketsBetweenPeersLiveAsLongAsOnePathOfFourStands() throws Exception {
    String said = UnsharedRun.of(PeerDay.class, "peer", directory, Map.of());
    System.out.println(said);
    assertThat(said)
        .contains(
            "paths at the end that dials: [linkA 10.71.1.3, linkA 10.71.2.3, linkB 10.71.1.3, linkB 10.71.2.3]\n",
            "paths at the end that listens: 4\n",
            "round trips known at the end that listens: 4\n",
            "without 1A: [linkB 10.71.1.3, linkB 10.71.2.3]\n",
            "without 2B: [linkA 10.71.1.3, linkB 10.71.1.3]\n",
            "without 1A and 2B: [linkB 10.71.1.3]\n",
            "without 1B and 2A: [linkA 10.71.2.3]\n",
            "watchdog fired for paths: 2\n",
            "without probes by link A: 2\n",
            "refused keys: true\n",
            "sessions: 1\n",
            "exit codes: 0 0\n")
        .containsPattern("told to the stranger: refused: PROOF_INVALID: .*compare the keys");
    assertThat(number(said, "idle datagrams of the end that dials"))
        .as("one stream of probes: %s", said)
        .isBetween(PROBES_LEAST, PROBES_MOST);
    assertThat(number(said, "idle datagrams of the end that listens"))
        .as("answers and no probes: %s", said)
        .isBetween(PROBES_LEAST, PROBES_MOST);
    assertThat(number(said, "exchanges of the one TCP connection")).as(said).isGreaterThan(100);
    assertThat(number(said, "stream lost"))
        .as("a part of eight hand-overs: %s", said)
        .isLessThan(0.1 * number(said, "stream sent"));
    assertThat(number(said, "stream longest gap ms")).as(said).isLessThan(3_000);
  }
}
