package io.viaduct.testbed.moving;

import static io.viaduct.testbed.process.UnsharedRun.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.process.UnsharedRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Receipts of real processes: the agent is killed in the middle of a download. After its restart
/// it signs the missing receipts from its saved state.
class ReceiptsLabIT {
  private static final Pattern SIGNED = Pattern.compile(ReceiptsDay.ANSWERED);

  @TempDir private Path directory;

  @Test
  void anAgentThatIsKilledInADownloadSignsTheIntervalAtItsNextConnection() throws Exception {
    String said = UnsharedRun.of(ReceiptsDay.class, "receipts", directory, Map.of());
    assertThat(number(said, "downloaded")).as("over one connection").isEqualTo(60_000_000);
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

  /// Returns the log of a service, which the laboratory has kept.
  private List<String> log(String service) throws IOException {
    return Files.readAllLines(directory.resolve(service + ".log"));
  }
}
