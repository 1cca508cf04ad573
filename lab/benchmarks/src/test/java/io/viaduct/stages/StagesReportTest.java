package io.viaduct.stages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class StagesReportTest {
  private static final double ROUND_NS = 500e6;

  private static StagesReport.Line line(String stage, String parameters, double garbage) {
    return new StagesReport.Line(
        stage,
        parameters,
        250,
        3,
        garbage,
        GarbageBound.allowed(stage, parameters),
        ROUND_NS,
        List.of());
  }

  private static StagesReport.Line line(String parameters, double garbage) {
    return line("Seal seal", parameters, garbage);
  }

  @Test
  void ownCodeMayMakeNothing() {
    assertThat(line("bytes 100", 0.01).isWithinBounds()).isTrue();
    assertThat(line("bytes 100", 16).isWithinBounds()).isFalse();
    assertThat(line("bytes 100", Double.NaN).isWithinBounds()).isFalse();
  }

  @Test
  void aCipherOfTheJdkMayMakeAKibibyte() {
    assertThat(line("cipher JDK_AES", 935).isWithinBounds()).isTrue();
    assertThat(line("cipher JDK_AES", 1025).isWithinBounds()).isFalse();
    assertThat(line("cipher NATIVE_AES", 935).isWithinBounds()).isFalse();
    assertThat(line("Seal sealLong", "cipher NATIVE_AES", 935).isWithinBounds()).isTrue();
    assertThat(line("Seal sealLong", "cipher NATIVE_AES", 2208).isWithinBounds()).isFalse();
    assertThat(line("Seal sealLong", "cipher NATIVE_CHACHA20", 2208).isWithinBounds()).isTrue();
    assertThat(line("Seal seal", "cipher NATIVE_CHACHA20", 16).isWithinBounds()).isFalse();
  }

  @Test
  void theGarbageOfAnUnusedProviderIsOnlyPrinted() {
    assertThat(line("Seal sealLong", "cipher BOUNCY_CASTLE_AES", 9000).isWithinBounds()).isTrue();
    assertThat(line("Seal sealLong", "cipher BOUNCY_CASTLE_AES", Double.NaN).isWithinBounds())
        .isFalse();
  }

  @Test
  void longBodiesOfASessionAreTheJdksAtBothEnds() {
    String sealed = "cipher fastest, load SUPERPACKET_64K, payload text";
    assertThat(line("Session throughBothEnds", sealed, 2021).isWithinBounds()).isTrue();
    assertThat(line("Session throughBothEnds", sealed, 2100).isWithinBounds()).isFalse();
    String datagrams = "cipher fastest, load DATAGRAMS_8_OF_1400, payload text";
    assertThat(line("Session throughBothEnds", datagrams, 935).isWithinBounds()).isFalse();
    String unsealed = "cipher none, load SUPERPACKET_64K, payload text";
    assertThat(line("Session throughBothEnds", unsealed, 935).isWithinBounds()).isFalse();
  }

  @Test
  void theHarnessGarbageOfALongOperationDoesNotCount() {
    var garbage = GarbageBound.NONE;
    assertThat(
            new StagesReport.Line("Session", "", 30_000, 3, 4, garbage, ROUND_NS, List.of())
                .isWithinBounds())
        .isTrue();
    assertThat(
            new StagesReport.Line("Session", "", 30_000, 3, 16, garbage, ROUND_NS, List.of())
                .isWithinBounds())
        .isFalse();
  }

  @Test
  void theTableSaysWhatHolds() {
    StagesReport report = new StagesReport(List.of(line("bytes 100", 0), line("bytes 9", 24)));
    assertThat(report.isWithinBounds()).isFalse();
    assertThat(report.markdown().lines().toList())
        .endsWith(
            "| Seal seal | bytes 100 | 250.0 | 3.0 | 0.00 | holds |",
            "| Seal seal | bytes 9 | 250.0 | 3.0 | 24.00 | **more than 1** |");
  }
}
