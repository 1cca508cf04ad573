package io.viaduct.testbed.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.viaduct.testbed.process.UnsharedRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs `./viaduct lab` with real namespaces and real packets.
class LabCommandLabIT {
  private static final String PING = "exec device ping -q -i 0.05 -c 20 ";

  @TempDir private Path directory;

  private static void needPing() throws InterruptedException {
    assumeTrue(UnsharedRun.succeeds("ping", "-V"), "ping is missing: install iputils-ping");
  }

  @Test
  void weatherDelaysPacketsOfBothFamiliesInBothDirections() throws Exception {
    needPing();
    LabRun run =
        LabRun.of(
            directory,
            """
            weather A up delay=30ms
            weather A down delay=20ms
            %1$s203.0.113.80
            %1$s2001:db8:cafe::80
            """
                .formatted(PING),
            "--families=46");
    assertThat(run.status()).as(run.said()).isZero();
    Matcher times = Pattern.compile("= ([0-9.]+)/").matcher(run.said());
    for (int family = 0; family < 2; family++) {
      assertThat(times.find()).as(run.said()).isTrue();
      assertThat(Double.parseDouble(times.group(1))).isBetween(49.9, 70.0);
    }
  }

  @Test
  void eachDropIsCountedByItsReasonAndAPulledCableMovesTraffic() throws Exception {
    needPing();
    LabRun run =
        LabRun.of(
            directory,
            """
            link A down
            %1$s203.0.113.80
            link A up
            %1$s203.0.113.80
            blackhole A up on
            exec --background device ping -q -c 30 -i 0.02 203.0.113.80
            wait 1
            blackhole A off
            weather A down loss=100%%
            exec --background device ping -q -c 30 -i 0.02 203.0.113.80
            wait 1
            counters
            """
                .formatted(PING));
    assertThat(run.status()).as(run.said()).isZero();
    assertThat(run.said()).contains("20 received");
    assertThat(counter(run, "device linkA up", 6)).isBetween(30L, 40L);
    assertThat(counter(run, "device linkA down", 4)).isBetween(30L, 40L);
    assertThat(counter(run, "device linkB up", 2)).isGreaterThanOrEqualTo(20);
  }

  // Columns of `counters`: offered, delivered, duplicated, lost, queue full, black hole, …
  private static long counter(LabRun run, String link, int column) {
    String row = run.said().lines().filter(line -> line.startsWith(link + " ")).toList().getLast();
    return Long.parseLong(row.substring(link.length()).strip().split(" +")[column - 1]);
  }

  @Test
  void severalDevicesReachTheServerThroughTwoGatewaysOfOneSubnet() throws Exception {
    needPing();
    LabRun run =
        LabRun.of(
            directory,
            """
            exec device ping -q -c 3 -i 0.1 -I linkA 203.0.113.80
            exec device ping -q -c 3 -i 0.1 -I linkB 203.0.113.80
            exec device-2 ping -q -c 3 -i 0.1 -I linkB 203.0.113.80
            exec device-2 ping -q -c 3 -i 0.1 10.71.1.242
            """,
            "--devices=2",
            "--one-subnet=A,B");
    assertThat(run.status()).as(run.said()).isZero();
    assertThat(run.said())
        .contains("gateway-a .11: access 10.71.1.1 ", "gateway-b .12: access 10.71.1.242 ")
        .contains("≈≈≈ linkB ≈≈≈ device-2 10.71.1.43");
  }

  @Test
  void aTraceIsReplayed() throws Exception {
    LabRun run = LabRun.of(directory, "replay walk --speed 200\nweather B\n");
    assertThat(run.status()).as(run.said()).isZero();
    assertThat(run.said())
        .contains("link A goes down", "link A goes up", "the trace has ended")
        .containsPattern("device +linkB up +delay=\\d+");
  }

  @Test
  void aWrongLineEndsTheScriptWithItsNumberValueAndRule() throws Exception {
    LabRun run = LabRun.of(directory, "show\nweather A down delay=1h\nshow\n");
    assertThat(run.status()).isEqualTo(64);
    assertThat(run.said())
        .contains("line 2: delay=1h: it must be a number with a unit, such as 20ms");
    run = LabRun.of(directory, "", "--links=A,B", "--families=4,6,4");
    assertThat(run.status()).isEqualTo(64);
    assertThat(run.said()).contains("--families has 3 values for 2 links");
    run = LabRun.of(directory, "wether A\n");
    assertThat(run.said()).contains("line 1: 'wether' is no command; there is: ", "weather");
    run = LabRun.of(directory, "exec device false\n");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.said()).contains("line 1: 'false' ended with exit code 1");
  }

  @Test
  void nothingIsLeftBehindWhenItIsKilled() throws Exception {
    Process lab = LabRun.start(directory, "exec --background device sleep 4711.5\nwait 1000\n");
    await(() -> isRunning("sleep 4711.5") || !lab.isAlive());
    assumeTrue(lab.isAlive(), Files.readString(directory.resolve("log")));
    lab.destroyForcibly().waitFor();
    await(() -> !isRunning("sleep 4711.5"));
    await(() -> isEmpty(directory.resolve("temporary")));
  }

  private static boolean isRunning(String command) {
    return ProcessHandle.allProcesses()
        .anyMatch(each -> each.info().commandLine().orElse("").endsWith(command));
  }

  private static boolean isEmpty(Path folder) {
    try (var files = Files.list(folder)) {
      return files.findAny().isEmpty();
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void await(java.util.function.BooleanSupplier condition)
      throws InterruptedException {
    long endNs = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - endNs).as("within a minute").isNegative();
      Thread.sleep(50);
    }
  }
}
