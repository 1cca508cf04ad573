package io.viaduct.testbed.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Reads the documents that people follow: `docs/*.md` and the README of each module.
final class Documents {
  static final Path ROOT = Path.of(System.getProperty("viaduct.root"));

  private static final Pattern SPAN = Pattern.compile("`([^`]+)`");
  private static final String INDENT = "    ";

  /// A line of a document.
  ///
  /// @param file path from the root of the repository
  /// @param number counted from 1
  record Line(String file, int number, String text) {
    /// Returns `file:line`, as editors take it.
    String where() {
      return file + ":" + number;
    }

    /// Returns the texts between backticks; none in a line of a code block.
    List<String> spans() {
      return isCode() ? List.of() : SPAN.matcher(text).results().map(one -> one.group(1)).toList();
    }

    /// Returns the texts between backticks of a cell of a table, counted from 1; none elsewhere.
    List<String> spansOfCell(int cell) {
      String[] cells = text.replace("\\|", "/").split("\\|");
      return text.startsWith("|") && cells.length > cell
          ? SPAN.matcher(cells[cell]).results().map(one -> one.group(1)).toList()
          : List.of();
    }

    /// Answers for the README of a process that an operator or user starts.
    boolean isOfService() {
      return file.matches("(snapt-server|cnapt-agent|ims-bridge|danum-billing|webgui)/README.md");
    }

    /// Answers for the manual of operators or users.
    boolean isOfManual() {
      return file.matches("docs/(operator|user).md");
    }

    boolean isCode() {
      return text.startsWith(INDENT);
    }
  }

  private Documents() {}

  /// Returns every line of every document, in order.
  static List<Line> lines() {
    List<Line> lines = new ArrayList<>();
    for (Path file : files()) {
      String[] texts = read(file).split("\n");
      boolean fenced = false;
      for (int i = 0; i < texts.length; i++) {
        boolean fence = texts[i].startsWith("```");
        fenced ^= fence;
        // A fenced block is read as an indented one.
        String text = fence ? "" : fenced ? INDENT + texts[i] : texts[i];
        lines.add(new Line(ROOT.relativize(file).toString(), i + 1, text));
      }
    }
    return lines;
  }

  /// Returns the code blocks: runs of indented lines, whose indentation is taken off.
  static List<List<Line>> blocks() {
    List<List<Line>> blocks = new ArrayList<>();
    boolean inside = false;
    for (Line line : lines()) {
      if (line.isCode()) {
        if (!inside) {
          blocks.add(new ArrayList<>());
        }
        String text = line.text().substring(INDENT.length());
        blocks.getLast().add(new Line(line.file(), line.number(), text));
      }
      inside = line.isCode();
    }
    return blocks;
  }

  /// Returns the directories of all modules: the programs, and what lies in `libs` and `lab`.
  static List<Path> modules() {
    List<Path> modules = new ArrayList<>();
    for (String group : List.of("", "libs", "lab")) {
      try (Stream<Path> found = Files.list(ROOT.resolve(group))) {
        found
            .filter(module -> Files.isRegularFile(module.resolve("pom.xml")))
            .forEach(modules::add);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return modules;
  }

  private static List<Path> files() {
    try (Stream<Path> manuals = Files.list(ROOT.resolve("docs"))) {
      return Stream.concat(
              // Measurements tell what was, with the names of that day.
              manuals.filter(
                  file -> file.toString().endsWith(".md") && !file.endsWith("measurements.md")),
              Stream.concat(Stream.of(ROOT, ROOT.resolve("docker")), modules().stream())
                  .map(module -> module.resolve("README.md")))
          .filter(Files::isRegularFile)
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Returns all matches of an expression in a text.
  static List<MatchResult> matches(Pattern pattern, String text) {
    return pattern.matcher(text).results().toList();
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
