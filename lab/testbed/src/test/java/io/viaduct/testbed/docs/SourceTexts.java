package io.viaduct.testbed.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Looks names up in the sources of the programs: `src/main` of every module.
final class SourceTexts {
  private static final Pattern LITERAL = Pattern.compile("\"([A-Za-z][A-Za-z0-9_-]*)\"");
  private static final Pattern HOOK = Pattern.compile("\\b(data-[a-z-]+)\\b");
  private static final Pattern TEXT = Pattern.compile(".*\\.(java|html|js|proto|properties)");

  private final Set<String> names = new TreeSet<>();
  private final List<String> packages = new ArrayList<>();

  private SourceTexts() {}

  static SourceTexts ofAllModules() {
    SourceTexts sources = new SourceTexts();
    Documents.modules().stream()
        .filter(module -> Files.isDirectory(module.resolve("src/main")))
        .forEach(sources::add);
    return sources;
  }

  private void add(Path module) {
    names.add(module.getFileName().toString());
    try (Stream<Path> files = Files.walk(module.resolve("src/main"))) {
      files.forEach(file -> {
        if (Files.isDirectory(file)) {
          packages.add("." + file.toString().replace('/', '.'));
        } else if (TEXT.matcher(file.toString()).matches()) {
          String text = Documents.read(file);
          Documents.matches(LITERAL, text).forEach(one -> names.add(one.group(1)));
          Documents.matches(HOOK, text).forEach(one -> names.add(one.group(1)));
        }
      });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Answers whether a package of ours ends like this, such as `billing.rest`.
  boolean havePackage(String name) {
    return packages.stream().anyMatch(known -> known.endsWith("." + name));
  }

  /// Answers whether a module, a quoted word or a hook of the pages has this name.
  boolean haveName(String name) {
    return names.contains(name);
  }
}
