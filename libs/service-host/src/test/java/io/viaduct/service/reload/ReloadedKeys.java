package io.viaduct.service.reload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The keys that a service reloads: those of the README's section "Reload", and those of its parts.
public final class ReloadedKeys {
  private static final Pattern ROW = Pattern.compile("^\\| `([a-z0-9.-]+)` \\|", Pattern.MULTILINE);

  private ReloadedKeys() {}

  /// Returns the keys in the table of the section "Reload".
  public static Set<String> named(Path readme) throws IOException {
    String text = Files.readString(readme);
    int from = text.indexOf("\n### Reload\n");
    if (from < 0) {
      throw new AssertionError(readme + " has no section '### Reload'");
    }
    int to = text.indexOf("\n## ", from);
    return ROW.matcher(text.substring(from, to < 0 ? text.length() : to))
        .results()
        .map((MatchResult row) -> row.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// Returns the keys that the parts of a service declare.
  public static Set<String> declared(List<? extends Reloading<?>> parts) {
    return parts.stream()
        .flatMap(part -> part.keys().stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
