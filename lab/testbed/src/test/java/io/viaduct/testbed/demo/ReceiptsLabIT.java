package io.viaduct.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Receipts of real processes: the agent is killed in the middle of a download. After its restart
/// it signs the missing receipts from its saved state.
class ReceiptsLabIT {
  private static final Path LOGS = Path.of(System.getProperty("viaduct.root")).resolve("build/lab");
  private static final Pattern SIGNED =
      Pattern.compile("has answered for earlier sessions: (\\d+) signed, \\d+ refused");

  @Test
  void anAgentThatIsKilledInADownloadSignsTheIntervalAtItsNextConnection() throws Exception {
    try (RunningDemo demo = RunningDemo.start("receipts", "--once", "--kill=cnapt@handover")) {
      demo.awaitEnd();
      assertThat(demo.output()).contains("killing cnapt (SIGKILL)");
    }
    List<String> snapt = log("snapt-1");
    assertThat(
            snapt.stream()
                .map(SIGNED::matcher)
                .filter(Matcher::find)
                .mapToInt(found -> Integer.parseInt(found.group(1)))
                .sum())
        .as("owed receipts that were signed")
        .isPositive();
    assertThat(log("cnapt")).noneMatch(line -> line.contains("UNKNOWN_SESSION"));
    assertThat(snapt).noneMatch(line -> line.contains("RECEIPTS_OWED"));
  }

  private static List<String> log(String service) throws IOException {
    return Files.readAllLines(LOGS.resolve(service + ".log"));
  }
}
