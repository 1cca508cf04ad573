package io.viaduct.testbed.report;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Options of every benchmark.
public final class BenchOptions {
  private static final String OUTPUT = "--output";

  @Option(
      names = OUTPUT,
      description = "directory for the JSON and Markdown files (default: build/bench)")
  private Path output = Path.of("");

  @Option(names = "--root", hidden = true, required = true)
  private Path root = Path.of("");

  @Option(names = "--directory", hidden = true)
  private Path outer = Path.of("");

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  public Path root() {
    return root;
  }

  public Path outer() {
    return outer;
  }

  public Path output() {
    return output.toString().isEmpty() ? root.resolve("build/bench") : output;
  }

  /// Returns the conditions of the run: the command that repeats it, time, commit and machine.
  public Map<String, String> conditions() throws IOException {
    return Machine.conditions(commandText(), root, Instant.now());
  }

  /// Returns the command with the values of all options, the defaults included.
  private String commandText() {
    if (command == null) {
      throw new IllegalStateException("picocli sets the command");
    }
    var words = new ArrayList<String>(List.of(command.qualifiedName()));
    for (OptionSpec option : command.options()) {
      if (!option.hidden() && option.arity().max() > 0 && !option.longestName().equals(OUTPUT)) {
        String value = text(option.getValue());
        if (!value.isEmpty()) {
          words.add(option.longestName() + " " + value);
        }
      } else if (Boolean.TRUE.equals(option.getValue())) {
        words.add(option.longestName());
      }
    }
    return String.join(" ", words);
  }

  private static String text(@Nullable Object value) {
    return switch (value) {
      case null -> "";
      case Object[] all -> text(Arrays.asList(all));
      case Collection<?> all -> String.join(",", all.stream().map(String::valueOf).toList());
      default -> value.toString();
    };
  }
}
