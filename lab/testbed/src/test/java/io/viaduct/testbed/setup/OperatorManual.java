package io.viaduct.testbed.setup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The commands of `docs/operator.md` that a test executes. Each block follows a comment that names
/// its machine.
record OperatorManual(List<String> lines) {
  private static final String MARK = "<!-- executed by FirstDayLabIT: %s -->";
  private static final String CODE = "    ";

  static OperatorManual read(Path root) throws IOException {
    return new OperatorManual(Files.readAllLines(root.resolve("docs/operator.md")));
  }

  /// Returns the code block after a mark, in a form for a shell.
  ///
  /// @throws IllegalArgumentException if there is none
  String block(String whose) {
    int mark = lines.indexOf(MARK.formatted(whose));
    List<String> code =
        lines.subList(mark + 1, lines.size()).stream()
            .dropWhile(String::isEmpty)
            .takeWhile(line -> line.startsWith(CODE))
            .map(line -> line.substring(CODE.length()))
            .toList();
    if (mark < 0 || code.isEmpty()) {
      throw new IllegalArgumentException("docs/operator.md has no commands of the " + whose);
    }
    return String.join("\n", code) + "\n";
  }
}
