package io.viaduct.testbed.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Metrics, labels and requests of `docs/*.md` exist. Metrics are looked up in the tables of the
/// module READMEs, which a test of each service holds to its registry; requests in billing's
/// `openapi.json`, which a test holds to its resources.
class OperatorDocsTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern METRIC =
      Pattern.compile("\\b(viaduct_[a-z0-9_]*[a-z0-9])(?:\\{([^}]*)})?");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)(?:=\"([^\"]*)\")?");
  private static final Pattern REQUEST =
      Pattern.compile("\\b(GET|POST|PUT|PATCH|DELETE) /(api/v1/[A-Za-z0-9/{}._-]*[A-Za-z0-9}])");
  private static final Pattern BODY = Pattern.compile("(\\{\"[^`]*})");

  private final List<String> wrong = new ArrayList<>();

  @Test
  void metricsAndLabelsOfTheDocsAreThoseOfTheServices() throws IOException {
    Map<String, Set<String>> known = labelsOfMetrics();
    everyLine((where, line) -> {
      Matcher metric = METRIC.matcher(line);
      while (metric.find()) {
        Set<String> labels = known.get(metric.group(1));
        if (labels == null) {
          wrong.add(where + ": no README lists the metric " + metric.group(1));
        } else if (metric.group(2) != null) {
          check(where, metric, labels);
        }
      }
    });
    assertThat(known).as("the tables are found").hasSizeGreaterThan(60);
    assertThat(wrong).isEmpty();
  }

  private void check(String where, Matcher metric, Set<String> labels) {
    Matcher label = LABEL.matcher(metric.group(2));
    while (label.find()) {
      if (!labels.contains(label.group(1))) {
        wrong.add(
            "%s: %s has the labels %s, not %s"
                .formatted(where, metric.group(1), labels, label.group(1)));
      }
      if (label.group(2) != null
          && !label.group(2).equals(label.group(2).toLowerCase(Locale.ROOT))) {
        wrong.add(where + ": values of labels are in lower case: " + metric.group());
      }
    }
  }

  @Test
  void requestsOfTheDocsAreThoseOfBilling() throws IOException {
    JsonNode api = JsonMapper.shared().readTree(read(ROOT.resolve("danum-billing/openapi.json")));
    everyLine((where, line) -> {
      Matcher request = REQUEST.matcher(line);
      while (request.find()) {
        String path = request.group(2).replaceAll("\\.$", "");
        JsonNode operation = operation(api, request.group(1), "/" + path);
        if (operation == null && !path.matches("api/v1/(snapts|registrations).*")) {
          wrong.add(where + ": openapi.json has no " + request.group());
        } else if (operation != null) {
          body(where, line, api, operation);
        }
      }
    });
    assertThat(wrong).isEmpty();
  }

  private static JsonNode operation(JsonNode api, String method, String path) {
    for (Map.Entry<String, JsonNode> entry : api.path("paths").properties()) {
      String pattern = entry.getKey().replaceAll("\\{[^}]*}", "[^/]+");
      if (path.matches(pattern) && entry.getValue().has(method.toLowerCase(Locale.ROOT))) {
        return entry.getValue().get(method.toLowerCase(Locale.ROOT));
      }
    }
    return null;
  }

  // An example has every field that is required, and no other than those that exist.
  private void body(String where, String line, JsonNode api, JsonNode operation) {
    Matcher json = BODY.matcher(line);
    JsonNode schema =
        operation.path("requestBody").path("content").path("application/json").path("schema");
    if (!json.find() || schema.isMissingNode()) {
      return;
    }
    if (schema.has("$ref")) {
      schema = api.at(schema.get("$ref").asString().substring(1));
    }
    JsonNode example = JsonMapper.shared().readTree(json.group(1));
    for (JsonNode required : schema.path("required")) {
      if (!example.has(required.asString())) {
        wrong.add(where + ": the example lacks '" + required.asString() + "', which is required");
      }
    }
    for (String field : example.propertyNames()) {
      if (!schema.path("properties").has(field)) {
        wrong.add(where + ": the example has '" + field + "', which does not exist");
      }
    }
  }

  // Of rows such as: | `a`, `b` | label, label | meaning |
  private static Map<String, Set<String>> labelsOfMetrics() throws IOException {
    Map<String, Set<String>> labels = new TreeMap<>();
    for (String module :
        List.of("snapt-server", "cnapt-agent", "ims-bridge", "danum-billing", "webgui")) {
      for (String line : read(ROOT.resolve(module).resolve("README.md")).split("\n")) {
        if (line.startsWith("| `viaduct_")) {
          String[] cells = line.split("\\|");
          Set<String> found =
              Pattern.compile("[a-z_]+")
                  .matcher(cells[2].replaceAll("=[^;|]*", ""))
                  .results()
                  .map(match -> match.group())
                  .collect(Collectors.toSet());
          METRIC
              .matcher(cells[1])
              .results()
              .forEach(match ->
                  labels.computeIfAbsent(match.group(1), _ -> new TreeSet<>()).addAll(found));
        }
      }
    }
    return labels;
  }

  private interface Line {
    void at(String where, String text);
  }

  private static void everyLine(Line check) throws IOException {
    List<Path> files;
    try (Stream<Path> found = Files.list(ROOT.resolve("docs"))) {
      // Measurements tell what was, with the names of that day.
      files =
          found
              .filter(file -> file.toString().endsWith(".md"))
              .filter(file -> !file.endsWith("measurements.md"))
              .sorted()
              .toList();
    }
    for (Path file : files) {
      String[] lines = read(file).split("\n");
      for (int i = 0; i < lines.length; i++) {
        check.at(file.getFileName() + ":" + (i + 1), lines[i]);
      }
    }
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file);
  }
}
