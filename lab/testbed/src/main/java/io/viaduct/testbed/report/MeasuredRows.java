package io.viaduct.testbed.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The values of all rounds so far, one JSON object per line, so that an interrupted run goes on
/// with the next round of the next row.
public final class MeasuredRows {
  private final Path file;
  private final Map<String, List<Double>> values = new LinkedHashMap<>();

  private MeasuredRows(Path file) {
    this.file = file;
  }

  /// Begins a new file, or reads the file of a run that was interrupted.
  ///
  /// @param run settings that must be the same for rounds that are compared
  /// @throws IllegalArgumentException if the interrupted run had other settings
  public static MeasuredRows open(Path file, Map<String, String> run, boolean isResumed)
      throws IOException {
    MeasuredRows rows = new MeasuredRows(file);
    String head = JsonMapper.shared().writeValueAsString(run);
    if (!isResumed || !Files.exists(file)) {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.writeString(file, head + "\n");
      return rows;
    }
    String text = Files.readString(file);
    List<String> lines = text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    if (lines.isEmpty() || !lines.getFirst().equals(head)) {
      throw new IllegalArgumentException(
          "--resume: %s is of another run; this one is of %s".formatted(file, head));
    }
    Files.writeString(file, String.join("\n", lines) + "\n"); // a cut last line is measured again
    for (String line : lines.subList(1, lines.size())) {
      JsonNode round = JsonMapper.shared().readTree(line);
      rows.of(round.path("row").asString()).add(round.path("value").asDouble());
    }
    return rows;
  }

  private List<Double> of(String row) {
    return values.computeIfAbsent(row, _ -> new ArrayList<>());
  }

  /// Returns how many rounds of a row there are.
  public int count(String row) {
    return of(row).size();
  }

  /// Adds the value of a row's next round, and writes it to the file.
  public void add(String row, double value) throws IOException {
    of(row).add(value);
    Files.writeString(
        file,
        JsonMapper.shared().writeValueAsString(Map.of("row", row, "value", value)) + "\n",
        StandardOpenOption.APPEND);
    System.err.printf("%s: round %d: %.3f%n", row, count(row), value);
  }

  /// Returns the values of a row, round by round.
  public double[] values(String row) {
    return of(row).stream().mapToDouble(Double::doubleValue).toArray();
  }
}
