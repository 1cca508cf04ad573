package io.viaduct.testbed.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Checks that `docs/measurements.md` names the command of each result, and links every file of raw
/// numbers; and that these files have the form that the benchmarks write.
class MeasurementsDocsTest {
  private static final Path DOCS = Documents.ROOT.resolve("docs");
  private static final Path RAW = DOCS.resolve("measurements/raw");
  private static final int COMMAND_CELL = 6;
  private static final List<String> CONDITIONS = List.of("command", "time", "commit", "processors");

  private static String summary() {
    return Documents.read(DOCS.resolve("measurements.md"));
  }

  private static List<Path> rawFiles() throws IOException {
    try (Stream<Path> files = Files.list(RAW)) {
      return files.sorted().toList();
    }
  }

  @Test
  void eachResultNamesItsCommandOrItsSubjectDoes() {
    int count = 0;
    String subject = "";
    String results = summary().substring(0, summary().indexOf("\n## Raw numbers\n"));
    for (String row : results.lines().filter(line -> line.startsWith("| ")).toList()) {
      String[] cells = row.split("\\|", -1);
      String command = cells[COMMAND_CELL].strip();
      if (cells[1].contains("**")) {
        subject = command;
      } else if (!cells[1].strip().equals("measurement")) {
        count++;
        String whole = command.startsWith("`--") || command.isEmpty() ? subject : command;
        assertThat(whole).as(row).matches("`(bench|test) .*`.*");
      }
    }
    assertThat(count).isGreaterThan(20);
  }

  @Test
  void eachRawFileHasItsConditionsAndRowsAndIsLinked() throws IOException {
    assertThat(rawFiles()).isNotEmpty();
    for (Path file : rawFiles()) {
      JsonNode raw = JsonMapper.shared().readTree(Files.readString(file));
      for (String condition : CONDITIONS) {
        assertThat(raw.path("conditions").path(condition).asString("")).as("%s", file).isNotBlank();
      }
      assertThat(raw.path("rows").size()).as("%s", file).isPositive();
      String name = file.getFileName().toString();
      String date = raw.path("conditions").path("time").asString("").substring(0, 10);
      assertThat(name).matches("[a-z-]+-" + date + "\\.json");
      assertThat(summary()).contains("(measurements/raw/" + name + ")");
    }
  }
}
