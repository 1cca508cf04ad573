package io.viaduct.service.operations;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Names of Viaduct's metrics in Prometheus form, for tests that compare a service's README with
/// its registered metrics. Metrics of the JVM are left out.
public final class MetricNames {
  private static final Pattern NAME = Pattern.compile("\\b(viaduct_[a-z0-9_]*[a-z0-9])");
  private static final Pattern TYPE =
      Pattern.compile("^# TYPE (viaduct_[a-z0-9_]+) ", Pattern.MULTILINE);

  private static final Pattern HELP =
      Pattern.compile("^# HELP (viaduct_[a-z0-9_]+) +\\S", Pattern.MULTILINE);
  private static final Pattern SAMPLE =
      Pattern.compile("^(viaduct_[a-z0-9_]+\\{.*}) ", Pattern.MULTILINE);

  private MetricNames() {}

  /// Returns the metrics named anywhere in a README.
  public static Set<String> named(Path readme) throws IOException {
    return found(NAME, Files.readString(readme));
  }

  /// Returns the registered metrics of a process.
  public static Set<String> registered(ProcessMetrics metrics) {
    return registered(metrics.scrape());
  }

  /// Returns the metrics in a text of `/metrics`.
  public static Set<String> registered(String scraped) {
    return found(TYPE, scraped);
  }

  /// Returns the text of `/metrics` after a garbage collection.
  public static String afterCollection(ProcessMetrics metrics) {
    Garbage.collect();
    return metrics.scrape();
  }

  /// Returns Viaduct's metrics with an empty `# HELP` line.
  public static Set<String> undescribed(String scraped) {
    Set<String> silent = registered(scraped);
    silent.removeAll(found(HELP, scraped));
    return silent;
  }

  /// Returns Viaduct's samples with a label that is not in lower case. Versions and the last bucket
  /// of a histogram (`le="+Inf"`) are exempt.
  public static Set<String> misspelt(String scraped) {
    Set<String> samples = found(SAMPLE, scraped);
    samples.removeIf(sample ->
        sample.startsWith("viaduct_build_info")
            || !sample.replace("le=\"+Inf\"", "").matches(".*=\"[^\"]*[A-Z].*"));
    return samples;
  }

  /// Returns the sum of the samples whose line begins with a text.
  ///
  /// @throws AssertionError if there is none
  public static double value(String scraped, String beginning) {
    List<String> lines = scraped.lines().filter(line -> line.startsWith(beginning)).toList();
    if (lines.isEmpty()) {
      throw new AssertionError("no sample " + beginning);
    }
    return lines.stream()
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private static Set<String> found(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map((MatchResult match) -> match.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
