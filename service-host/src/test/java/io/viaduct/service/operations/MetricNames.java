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

/// Names of Viaduct's metrics as Prometheus has them, for the tests that hold each service's README
/// to what it registers. Those of the JVM are nobody's here.
public final class MetricNames {
  private static final Pattern NAME = Pattern.compile("\\b(viaduct_[a-z0-9_]*[a-z0-9])");
  private static final Pattern TYPE =
      Pattern.compile("^# TYPE (viaduct_[a-z0-9_]+) ", Pattern.MULTILINE);

  private static final Pattern HELP =
      Pattern.compile("^# HELP (viaduct_[a-z0-9_]+) +\\S", Pattern.MULTILINE);
  private static final Pattern SAMPLE =
      Pattern.compile("^(viaduct_[a-z0-9_]+\\{.*}) ", Pattern.MULTILINE);

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

  /// What a process shows at `/metrics`, garbage collected before.
  public static String afterCollection(ProcessMetrics metrics) {
    Garbage.collect();
    return metrics.scrape();
  }

  /// Metrics of ours whose `# HELP` line says nothing.
  public static Set<String> undescribed(String scraped) {
    Set<String> silent = registered(scraped);
    silent.removeAll(found(HELP, scraped));
    return silent;
  }

  /// Returns samples of ours with a label that is not in lower case. Versions and the last bucket
  /// of a histogram (`le="+Inf"`) are not ours to spell.
  public static Set<String> misspelt(String scraped) {
    Set<String> samples = found(SAMPLE, scraped);
    samples.removeIf(sample ->
        sample.startsWith("viaduct_build_info")
            || !sample.replace("le=\"+Inf\"", "").matches(".*=\"[^\"]*[A-Z].*"));
    return samples;
  }

  /// The sum of the samples whose line begins so.
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
