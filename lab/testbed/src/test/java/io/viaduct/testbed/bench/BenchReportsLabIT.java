package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Runs the benchmarks that compare peers, briefly. Checks that they run, and the results that hold
/// on any machine. Speed and savings are measured on an idle machine instead.
class BenchReportsLabIT {
  @TempDir private Path directory;

  @Test
  void textIsSavedAndRandomBytesCostLittle() throws Exception {
    JsonNode report =
        BenchRun.of(
            "savings",
            directory,
            "--classes=HT_HD",
            "--kinds=text,random",
            "--flows=1,5",
            "--seconds=2",
            "--peers=none");
    assertThat(saved(report, "text", "1 flow")).isGreaterThan(40);
    assertThat(saved(report, "text", "5 flows, same, in step")).isGreaterThan(70);
    assertThat(saved(report, "random", "1 flow")).isGreaterThan(-6);
    for (JsonNode load : report.get("rows")) {
      assertThat(load.get("packetsStrange").asInt(-1)).as("" + load).isZero();
    }
  }

  private static double saved(JsonNode report, String kind, String flows) {
    return of(report, "payload", kind, "flows", flows).get("savedPercent").asDouble();
  }

  @Test
  void aTunnelThatIsNotInstalledIsLeftOutWithTheReason() throws Exception {
    JsonNode report =
        BenchRun.of(
            "tunnel",
            directory,
            "--peers=openvpn",
            "--measures=exchange",
            "--rounds=1",
            "--seconds=1");
    boolean missing = report.get("missing").has("openvpn");
    assertThat(missing || report.get("conditions").has("peer openvpn")).as("" + report).isTrue();
    JsonNode row = of(report, "row", "exchange-1-p50", "unit", "µs");
    JsonNode ours = row.get(ViaductPeer.NAME);
    assertThat(ours.get("median").asDouble()).isBetween(1.0, 100_000.0);
    assertThat(ours.get("rounds").size()).isEqualTo(1);
  }

  @Test
  void aHundredSessionsShareOneSnapt() throws Exception {
    JsonNode report =
        BenchRun.of(
            "sessions", directory, "--sessions=100", "--rounds=1", "--seconds=1", "--idle=1");
    JsonNode step = report.get("rows").get(0);
    double held = step.get("heapBytes").asDouble() + step.get("nativeBytes").asDouble();
    assertThat(held / 1024).as("KiB per idle session: " + step).isLessThan(24);
  }

  private static JsonNode of(
      JsonNode report, String key, String value, String other, String otherValue) {
    return StreamSupport.stream(report.get("rows").spliterator(), false)
        .filter(each -> each.get(key).asString().equals(value))
        .filter(each -> each.get(other).asString().startsWith(otherValue))
        .findFirst()
        .orElseThrow(() -> new AssertionError(value + ", " + otherValue + " in " + report));
  }
}
