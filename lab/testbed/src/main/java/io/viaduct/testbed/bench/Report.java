package io.viaduct.testbed.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/// Result of a benchmark: tables for the terminal and `NAME.md`, all numbers for `NAME.json`. Both
/// files begin with the conditions of the run.
///
/// @param name of the benchmark, as on the command line
/// @param title for people
/// @param conditions of the run: [Machine] and those of the benchmark
/// @param tables Markdown
/// @param numbers by the JSON member that holds them
public record Report(
    String name,
    String title,
    Map<String, String> conditions,
    String tables,
    Map<String, ?> numbers) {
  /// Prints the tables and writes both files.
  public void publish(PrintStream terminal, Path directory) throws IOException {
    terminal.print(tables);
    Files.createDirectories(directory);
    var document = new LinkedHashMap<String, Object>(Map.of("conditions", conditions));
    document.putAll(numbers);
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
