package io.viaduct.testbed.bench;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/// Options of every benchmark.
public final class BenchOptions {
  @Option(
      names = "--output",
      description = "directory for the JSON and Markdown files (default: build/bench)")
  private Path output = Path.of("");

  @Option(names = "--root", hidden = true, required = true)
  private Path root = Path.of("");

  @Option(names = "--directory", hidden = true, required = true)
  private Path outer = Path.of("");

  public Path root() {
    return root;
  }

  public Path outer() {
    return outer;
  }

  public Path output() {
    return output.toString().isEmpty() ? root.resolve("build/bench") : output;
  }
}
