package io.viaduct.service.operations;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Names of Viaduct's metrics as Prometheus has them, for the tests that hold each service's README
/// to what it registers. Those of the JVM are nobody's here.
public final class MetricNames {
  private static final Pattern NAME = Pattern.compile("\\b(viaduct_[a-z0-9_]*[a-z0-9])");
  private static final Pattern TYPE =
      Pattern.compile("^# TYPE (viaduct_[a-z0-9_]+) ", Pattern.MULTILINE);

  private MetricNames() {}

  /// What the text of a README names, wherever it does.
  public static Set<String> named(Path readme) throws IOException {
    return found(NAME, Files.readString(readme));
  }

  /// What a process has registered.
  public static Set<String> registered(ProcessMetrics metrics) {
    return registered(metrics.scrape());
  }

  /// What a process answers at `/metrics`.
  public static Set<String> registered(String scraped) {
    return found(TYPE, scraped);
  }

  private static Set<String> found(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map((MatchResult match) -> match.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
