package io.viaduct.cnapt.policy;

import static io.viaduct.cnapt.policy.Paths.ids;
import static io.viaduct.cnapt.policy.Paths.line;
import static io.viaduct.cnapt.policy.Paths.path;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.policy.Decision.Mode;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathEvaluatorTest {
  /// Reads a path such as `1 eth0 USABLE 20 5000 0`: id, link, state, ms, kbit/s, cost.
  private static PathSnapshot read(String text) {
    String[] words = text.strip().split(" ");
    return path(
        Integer.parseInt(words[0]),
        words[1],
        PathState.valueOf(words[2]),
        Long.parseLong(words[3]),
        Long.parseLong(words[4]),
        Double.parseDouble(words[5]));
  }

  private static Decision decide(String method, ServiceClass serviceClass, String paths) {
    List<PathSnapshot> read =
        paths.isEmpty()
            ? List.of()
            : Arrays.stream(paths.split(";")).map(PathEvaluatorTest::read).toList();
    return PathEvaluator.decide(
        line(method), serviceClass, 0, false, read, PathPreference.OF_THE_MOMENT);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      textBlock =
          """
          # method, class, paths (id link state ms kbit/s cost), mode, ids
          own eth0,     HT_HD, 1 wlan0 USABLE 5 9000 0; 2 eth0 USABLE 9 10 0,                       ONE,    2
          own eth*,     HT_HD, 1 eth0 USABLE 9 10 0; 2 eth0 USABLE 5 10 0,                          ONE,    2
          own eth0,     HT_HD, 1 wlan0 USABLE 5 9000 0; 2 eth0 DEAD 9 10 0,                         NONE,   -
          own wwan0,    HT_HD, 1 wlan0 USABLE 5 9000 0; 2 wwan0 SPARE 9 10 0,                       ONE,    2
          throughput,   HT_HD, 1 wlan0 USABLE 5 900 0; 2 eth0 USABLE 9 1000 0,                      ONE,    2
          throughput,   HT_HD, 1 wlan0 USABLE 5 900 0; 2 eth0 LOSING 9 1000 0,                      ONE,    1
          lowest-delay, LT_LD, 1 wlan0 USABLE 5 900 0; 2 eth0 USABLE 9 1000 0,                      ONE,    1
          cost,         LT_LD, 1 wlan0 USABLE 5 70 1; 2 eth0 USABLE 9 60 0,                         ONE,    1
          cost,         LT_LD, 1 wlan0 USABLE 5 70 1; 2 eth0 USABLE 9 64 0,                         ONE,    2
          cost,         HT_HD, 1 wlan0 USABLE 5 1900 1; 2 eth0 USABLE 9 1800 0,                     ONE,    1
          cost,         HT_HD, 1 wlan0 USABLE 5 9000 2; 2 eth0 USABLE 9 3000 2,                     ONE,    1
          all,          LT_LD, 1 wlan0 USABLE 5 9 0; 2 eth0 USABLE 9 9 0; 3 eth1 USABLE 7 9 0,      COPIES, 1 3
          all,          LT_LD, 1 wlan0 USABLE 5 9 0; 2 wlan0 USABLE 6 9 0; 3 eth1 USABLE 90 9 0,    COPIES, 1 3
          all,          LT_LD, 1 wlan0 USABLE 5 9 0; 2 wwan0 SPARE 6 9 0,                           ONE,    1
          all,          LT_LD, 1 wlan0 LOSING 5 9 0; 2 eth0 LOSING 4 9 0,                           COPIES, 2 1
          all,          LT_LD, 1 wlan0 DEAD 5 9 0; 2 eth0 LOSING 4 9 0,                             ONE,    2
          packet,       HT_HD, 1 wlan0 USABLE 9 9 0; 2 eth0 USABLE 5 9 0; 3 wwan0 SPARE 1 99 1,     SPREAD, 2 1
          packet,       HT_HD, 1 wlan0 USABLE 9 9 0; 2 eth0 LOSING 5 99 0,                          ONE,    1
          "lowest-delay, copy while losing", LT_LD, 1 wlan0 USABLE 5 9 0; 2 eth0 USABLE 9 9 0,      ONE,    1
          "lowest-delay, copy while losing", LT_LD, 1 wlan0 LOSING 5 9 0; 2 eth0 USABLE 9 9 0,      ONE,    2
          "lowest-delay, copy while losing", LT_LD, 1 wlan0 LOSING 5 9 0; 2 eth0 LOSING 9 9 0,      COPIES, 1 2
          "lowest-delay, copy while losing", LT_LD, 1 wlan0 LOSING 5 9 0; 2 wwan0 SPARE 9 9 1,      COPIES, 1 2
          "lowest-delay, copy while losing", LT_LD, 1 wlan0 LOSING 5 9 0; 2 wwan0 DEAD 9 9 1,       ONE,    1
          throughput,   HT_HD, 1 wlan0 DEAD 5 900 0,                                                NONE,   -
          """)
  void eachMethodChoosesItsPaths(
      String method, ServiceClass serviceClass, String paths, Mode mode, String expected) {
    Decision decision = decide(method, serviceClass, paths);
    assertThat(decision.mode()).isEqualTo(mode);
    String ids = String.join(" ", ids(decision).stream().map(String::valueOf).toList());
    assertThat(ids.isEmpty() ? "-" : ids).isEqualTo(expected);
  }

  @Test
  void aPathThatIsNotMeasuredYetIsTheLastByDelay() {
    PathSnapshot fresh =
        new PathSnapshot(1, "eth0", PathState.USABLE, PathSnapshot.UNKNOWN_DELAY, 0, 0);
    Decision decision =
        PathEvaluator.decide(
            line("lowest-delay"),
            ServiceClass.LT_LD,
            0,
            false,
            List.of(fresh, path(2, PathState.USABLE, 300, 0)),
            PathPreference.OF_THE_MOMENT);
    assertThat(ids(decision)).containsExactly(2);
  }
}
