package io.viaduct.testbed.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.docs.Documents.Line;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Checks that the metrics, labels, label values and requests of the documents exist. Metrics are
/// in the tables of the module READMEs, which a test of each service compares with its registry.
/// Requests are in billing's `openapi.json`, which a test compares with its resources.
class OperatorDocsTest {
  private static final Pattern METRIC =
      Pattern.compile("\\b(viaduct_[a-z0-9_]*[a-z0-9])(?:\\{([^}]*)})?");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)(?:=\"([^\"]*)\")?");
  private static final Pattern REQUEST =
      Pattern.compile("\\b(GET|POST|PUT|PATCH|DELETE) /(api/v1/[A-Za-z0-9/{}._-]*[A-Za-z0-9}])");
  private static final Pattern BODY = Pattern.compile("(\\{\"[^`]*})");
  private static final Pattern METRIC_OR_LABELS =
      Pattern.compile("`(viaduct_[a-z0-9_]*[a-z0-9])?(?:\\{([^}]*)})?");
  private static final Pattern VALUES =
      Pattern.compile("(?:`[a-z]+` = |: )((?:`?[a-z]+(?:_[a-z]+)*`?(?:, |(?=[;. |]|$)))+)");
  private static final Pattern SNAKE = Pattern.compile("[a-z0-9]+(_[a-z0-9]+)+");
  private static final Pattern UPPER = Pattern.compile("[A-Z][A-Z0-9]*(_[A-Z0-9]+)+");

  private final List<String> wrong = new ArrayList<>();

  @Test
  void metricsAndLabelsOfTheDocsAreThoseOfTheServices() {
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
    }
  }

  @Test
  void valuesOfLabelsInTheDocsAreThoseOfTheCode() {
    LabelValues values = LabelValues.ofAllModules();
    int looked = 0;
    for (Line line : Documents.lines()) {
      String named = null;
      for (MatchResult found : Documents.matches(METRIC_OR_LABELS, line.text())) {
        named = found.group(1) != null ? found.group(1) : named;
        if (named != null && found.group(2) != null) {
          for (MatchResult label : Documents.matches(LABEL, found.group(2))) {
            if (label.group(2) != null) {
              looked++;
              check(line, named, label.group(2), values.of(named));
            }
          }
        }
      }
      // A row of a table of metrics names values after `label` = or in its meaning.
      if (line.isOfService() && line.text().startsWith("| `viaduct_") && named != null) {
        for (MatchResult list : Documents.matches(VALUES, line.text())) {
          for (MatchResult value : Documents.matches(SNAKE, list.group(1))) {
            looked++;
            check(line, named, value.group(), values.of(named));
          }
        }
      }
    }
    assertThat(looked).isGreaterThan(25);
    assertThat(wrong).isEmpty();
  }

  private void check(Line line, String metric, String value, Set<String> known) {
    if (!known.contains(value)) {
      String near =
          known.stream()
              .filter(one -> one.contains(value.split("_")[0]) || value.contains(one))
              .collect(Collectors.joining(", "));
      wrong.add(
          "%s: no label of %s has the value '%s'; near it: %s"
              .formatted(line.where(), metric, value, near));
    }
  }

  @Test
  void reasonsAndVerdictsOfTheDocsAreConstantsOfTheCode() {
    LabelValues values = LabelValues.ofAllModules();
    SourceTexts sources = SourceTexts.ofAllModules();
    int looked = 0;
    for (Line line : Documents.lines()) {
      for (String span :
          line.isOfService() || line.isOfManual() ? line.spans() : List.<String>of()) {
        boolean constant = SNAKE.matcher(span).matches() || UPPER.matcher(span).matches();
        if (constant && !span.startsWith("viaduct_")) {
          looked++;
          if (!values.haveConstant(span) && !sources.haveName(span)) {
            wrong.add("%s: nothing in the code is called '%s'".formatted(line.where(), span));
          }
        }
      }
    }
    assertThat(looked).isGreaterThan(25);
    assertThat(wrong).isEmpty();
  }

  @Test
  void requestsOfTheDocsAreThoseOfBilling() {
    JsonNode api =
        JsonMapper.shared()
            .readTree(Documents.read(Documents.ROOT.resolve("danum-billing/openapi.json")));
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

  // An example has every required field and no unknown field.
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

  // Reads rows such as: | `a`, `b` | label, label | meaning |
  private static Map<String, Set<String>> labelsOfMetrics() {
    Map<String, Set<String>> labels = new TreeMap<>();
    for (String module :
        List.of("snapt-server", "cnapt-agent", "ims-bridge", "danum-billing", "webgui")) {
      for (String line :
          Documents.read(Documents.ROOT.resolve(module).resolve("README.md")).split("\n")) {
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

  private interface Check {
    void at(String where, String text);
  }

  private static void everyLine(Check check) {
    Documents.lines().stream()
        .filter(line -> line.file().startsWith("docs/"))
        .forEach(line -> check.at(line.where(), line.text()));
  }
}
