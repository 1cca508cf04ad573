package io.viaduct.testbed.report;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/// Result of a benchmark: tables for the terminal and `NAME.md`, all numbers for `NAME.json`. Both
/// files begin with the conditions of the run.
///
/// @param name of the benchmark, as on the command line
/// @param title for people
/// @param conditions of the run: [BenchOptions#conditions] and those of the benchmark
/// @param missing peers or measures without a result, with the reason
/// @param tables Markdown
/// @param rows members of each row, by name
public record Report(
    String name,
    String title,
    Map<String, String> conditions,
    Map<String, String> missing,
    String tables,
    List<Map<String, Object>> rows) {
  /// Makes the report of one table, in which nothing is missing.
  public static <R> Report of(
      String name, String title, Map<String, String> conditions, Grid<R> grid, List<R> rows) {
    return new Report(name, title, conditions, Map.of(), grid.markdown(rows), grid.members(rows));
  }

  /// Adds lines below the tables, a list in Markdown.
  public Report with(List<String> lines) {
    String list = lines.isEmpty() ? "" : "\n- " + String.join("\n- ", lines) + "\n";
    return new Report(name, title, conditions, missing, tables + list, rows);
  }

  /// Adds peers or measures without a result, with the reason.
  public Report without(Map<String, String> absent) {
    List<String> lines =
        absent.entrySet().stream().map(one -> one.getKey() + ": " + one.getValue()).toList();
    return new Report(name, title, conditions, absent, tables, rows).with(lines);
  }

  /// Prints the tables and writes both files.
  public void publish(PrintStream terminal, Path directory) throws IOException {
    terminal.print(tables);
    Files.createDirectories(directory);
    var document = new LinkedHashMap<String, Object>();
    document.put("conditions", conditions);
    document.put("missing", missing);
    document.put("rows", rows);
    JsonMapper.shared()
        .writerWithDefaultPrettyPrinter()
        .writeValue(directory.resolve(name + ".json"), document);
    var text = new StringBuilder("# ").append(title).append("\n\n");
    conditions.forEach(
        (key, value) -> text.append("- ").append(key).append(": ").append(value).append('\n'));
    Files.writeString(directory.resolve(name + ".md"), text.append('\n').append(tables));
    terminal.printf("every number: %1$s/%2$s.json, this text: %1$s/%2$s.md%n", directory, name);
  }
}
