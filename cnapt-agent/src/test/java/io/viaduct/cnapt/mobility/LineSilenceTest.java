package io.viaduct.cnapt.mobility;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.mobility.LineSilence.Decision;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineSilenceTest {
  private static final long MS = 1_000_000;

  private final LineSilence line = new LineSilence();
  private long nowNs = 1_000 * MS;

  /// Returns the decisions of a time in which nothing comes, each with its time in ms since the
  /// beginning.
  private List<String> nothingFor(long ms) {
    List<String> decisions = new ArrayList<>();
    long sinceNs = nowNs;
    long endNs = nowNs + ms * MS;
    while (line.nextTickNs() <= endNs) {
      nowNs = line.nextTickNs();
      decisions.add((nowNs - sinceNs) / MS + " " + line.tick(nowNs));
    }
    nowNs = endNs;
    return decisions;
  }

  @Test
  void aLineIsSilentTwoDistancesAndAHalfAfterAPacketThatNothingFollows() {
    line.roundTrip(20 * MS);
    line.sent(100, nowNs);
    assertThat(nothingFor(5_000)).containsExactly("80 PROBE", "120 PROBE", "200 SILENT");
    assertThat(line.isSilent()).isTrue();
  }

  @Test
  void atARoundTripOf80MsItIsStillNoticedWithin300Ms() {
    line.roundTrip(80 * MS);
    line.sent(100, nowNs);
    assertThat(nothingFor(5_000)).containsExactly("120 PROBE", "180 PROBE", "300 SILENT");
  }

  @Test
  void aLongLineGetsTheTimeOfItsRoundTrip() {
    line.roundTrip(200 * MS);
    line.sent(100, nowNs);
    assertThat(nothingFor(5_000)).containsExactly("300 PROBE", "450 PROBE", "750 SILENT");
  }

  @Test
  void aLineWithoutTrafficIsNeverSilentAndNeverProbed() {
    line.heard(1_000);
    assertThat(nothingFor(3_600_000)).isEmpty();
  }

  @Test
  void anAnswerToTheLastProbeEndsTheQuestion() {
    line.sent(100, nowNs);
    assertThat(nothingFor(199)).containsExactly("80 PROBE", "120 PROBE");
    assertThat(line.heard(81)).isFalse();
    assertThat(nothingFor(5_000)).isEmpty();
    assertThat(line.isSilent()).isFalse();
  }

  @Test
  void whatComesAfterASilenceEndsItAtOnce() {
    line.sent(100, nowNs);
    nothingFor(300);
    line.sent(100, nowNs);
    assertThat(nothingFor(60_000)).as("a silent line is probed by the paths' watch").isEmpty();
    assertThat(line.heard(81)).isTrue();
    assertThat(line.isSilent()).isFalse();
  }

  @Test
  void aStreamInOneDirectionPaysForItsProbes() {
    int probes = 0;
    for (int packet = 0; packet < 3_000; packet++) { // one minute of 24 kbit/s
      line.sent(60, nowNs);
      for (String each : nothingFor(20)) {
        probes += each.endsWith("PROBE") ? 1 : 0;
        line.heard(81);
      }
    }
    long carried = 3_000 * 60L + probes * 81L;
    assertThat(probes).isBetween(1, 6 + (int) (carried / LineSilence.BYTES_MIN));
    assertThat(line.isSilent()).isFalse();
  }

  @Test
  void aLateTickGivesTheSocketAMomentToBeRead() {
    line.sent(100, nowNs);
    long lateNs = line.nextTickNs() + 2 * LineSilence.LATE_NS;
    assertThat(line.tick(lateNs)).isEqualTo(Decision.WAIT);
    assertThat(line.nextTickNs()).isEqualTo(lateNs + LineSilence.LATE_NS);
    assertThat(line.tick(line.nextTickNs())).isEqualTo(Decision.PROBE);
  }

  @Test
  void aBrokenControlConnectionAsksAtOnceAlsoWithoutTraffic() {
    line.roundTrip(20 * MS);
    line.suspect(nowNs);
    assertThat(nothingFor(5_000)).containsExactly("0 PROBE", "15 PROBE", "45 SILENT");
    line.suspect(nowNs);
    assertThat(nothingFor(5_000)).as("it is known").isEmpty();
    line.heard(81);
    line.suspect(nowNs);
    assertThat(nothingFor(10)).containsExactly("0 PROBE");
    assertThat(line.isSuspected()).isTrue();
    assertThat(line.heard(81)).as("it was suspected").isTrue();
    assertThat(line.isSuspected()).isFalse();
    line.sent(100, nowNs);
    assertThat(nothingFor(80)).as("the usual distance again").containsExactly("80 PROBE");
  }

  @Test
  void anotherNetworkBeginsAnew() {
    line.sent(100, nowNs);
    nothingFor(300);
    line.reset();
    assertThat(line.isSilent()).isFalse();
    assertThat(nothingFor(5_000)).isEmpty();
  }
}
