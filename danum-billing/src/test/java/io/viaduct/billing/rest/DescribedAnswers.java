package io.viaduct.billing.rest;

import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/// Compares real answers with the OpenAPI description that the same billing serves.
final class DescribedAnswers {
  private final JsonNode paths;

  DescribedAnswers(RunningBilling billing) throws Exception {
    paths = billing.get("/v3/api-docs", null).body().get("paths");
  }

  /// Returns what an answer has and its description lacks, or the other way round; empty if they
  /// agree.
  Optional<String> difference(String method, String path, Answer answer) {
    JsonNode operation = operation(method, path.replaceAll("\\?.*", ""));
    if (operation.isMissingNode()) {
      return Optional.of("no such operation");
    }
    JsonNode described = operation.at("/responses/" + answer.status());
    if (described.isMissingNode()) {
      return Optional.of("status " + answer.status() + " is not described");
    }
    boolean isTagged = answer.raw().headers().firstValue("ETag").isPresent();
    if (answer.status() / 100 == 2 && isTagged != described.at("/headers").has("ETag")) {
      return Optional.of(isTagged ? "its ETag is not described" : "it has no ETag");
    }
    return Optional.empty();
  }

  private JsonNode operation(String method, String path) {
    return paths.propertyNames().stream()
        .filter(template -> Pattern.matches(template.replaceAll("\\{[^}]+}", "[^/]+"), path))
        .min(Comparator.comparingLong(template -> template.chars().filter(c -> c == '{').count()))
        .map(template -> paths.get(template).path(method.toLowerCase(java.util.Locale.ROOT)))
        .orElse(paths.path("none"));
  }
}
