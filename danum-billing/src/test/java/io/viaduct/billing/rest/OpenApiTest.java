package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

class OpenApiTest {
  private static final Path COMMITTED = Path.of("openapi.json");

  private static String served;

  @BeforeAll
  static void serve(@TempDir Path folder) throws Exception {
    JsonMapper json = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    try (RunningBilling billing = RunningBilling.start(folder, new ManualClock())) {
      served = json.writeValueAsString(billing.get("/v3/api-docs", null).body()) + "\n";
    }
    if (Boolean.getBoolean("openapi.write")) {
      Files.writeString(COMMITTED, served);
    }
  }

  @Test
  void theCommittedDescriptionIsTheOneThatIsServed() {
    assertThat(api().get("openapi").asString()).startsWith("3.1");
    assertThat(COMMITTED)
        .as(
            "openapi.json has drifted: ./mvnw -pl danum-billing test -Dtest=OpenApiTest"
                + " -Dopenapi.write=true, then look at the difference and commit it")
        .hasContent(served);
  }

  private static JsonNode api() {
    return JsonMapper.shared().readTree(served);
  }

  @Test
  void everyOperationNamesItsProblemsAndDescribesItsParameters() {
    Set<String> named = new TreeSet<>();
    api()
        .get("paths")
        .forEachEntry((path, operations) ->
            operations.forEachEntry((method, operation) -> {
              String where = method + " " + path;
              assertThat(operation.path("summary").asString("")).as(where).isNotBlank();
              for (String status : List.of("400", "406", "500", "503")) {
                assertThat(operation.get("responses").has(status)).as(where + status).isTrue();
              }
              operation
                  .get("responses")
                  .forEachEntry((status, response) -> {
                    if (status.compareTo("400") >= 0) {
                      JsonNode types =
                          response
                              .path("content")
                              .path("application/problem+json")
                              .at("/schema/allOf/1/properties/type/enum");
                      assertThat(types.isEmpty()).as(where + " " + status).isFalse();
                      types.forEach(type -> named.add(type.asString()));
                    }
                  });
              operation
                  .path("parameters")
                  .forEach(parameter ->
                      assertThat(parameter.path("description").asString(""))
                          .as("ApiTexts.properties lacks a text: " + where + " " + parameter)
                          .isNotBlank());
            }));
    assertThat(named)
        .as("problems that no operation names with @Refuses")
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(ProblemType.values()).map(type -> type.uri().toString()).toList());
  }

  @Test
  void whatNeedsAVersionSaysSoAndAVersionCanBeRead() {
    api()
        .get("paths")
        .forEachEntry((path, operations) ->
            operations.forEachEntry((method, operation) -> {
              boolean mayLackIt = operation.get("responses").has("428");
              JsonNode header = null;
              for (JsonNode parameter : operation.path("parameters")) {
                header = parameter.get("name").asString().equals("If-Match") ? parameter : header;
              }
              String where = method + " " + path;
              boolean makesToo =
                  ApiDescription.MAKES_TOO.contains(operation.get("operationId").asString());
              assertThat(header == null && mayLackIt).as(where).isFalse();
              if (header != null) {
                assertThat(header.path("required").asBoolean())
                    .as(where)
                    .isEqualTo(mayLackIt && !makesToo);
              }
            }));
  }

  @Test
  void whatIfMatchNamesIsReadWithItsTagAndAnsweredWithTheNextOne() {
    JsonNode paths = api().get("paths");
    paths.forEachEntry((path, operations) ->
        operations.forEachEntry((method, operation) -> {
          if (!takesIfMatch(operation)) {
            return;
          }
          String where = method + " " + path;
          JsonNode read = read(paths, path);
          assertThat(hasTag(read.at("/responses/200"))).as("the GET for " + where).isTrue();
          if (method.equals("put") || method.equals("patch")) {
            operation
                .get("responses")
                .forEachEntry((status, response) ->
                    assertThat(hasTag(response) || !status.startsWith("2"))
                        .as(where + " " + status)
                        .isTrue());
          }
        }));
  }

  private static boolean takesIfMatch(JsonNode operation) {
    for (JsonNode parameter : operation.path("parameters")) {
      if (parameter.get("name").asString().equals("If-Match")) {
        return true;
      }
    }
    return false;
  }

  /// Returns the GET of a path, or of the nearest one that encloses it.
  private static JsonNode read(JsonNode paths, String path) {
    String at = path;
    while (!paths.path(at).has("get")) {
      at = at.substring(0, at.lastIndexOf('/'));
    }
    return paths.get(at).get("get");
  }

  private static boolean hasTag(JsonNode response) {
    return response.at("/headers/ETag").isObject();
  }

  @Test
  void everyFieldHasItsTextAndEveryTextItsField() {
    Set<String> unused = new TreeSet<>(ApiDescription.texts().stringPropertyNames());
    JsonNode api = api();
    api.at("/components/schemas")
        .forEachEntry((schema, its) ->
            its.path("properties")
                .forEachEntry((field, property) -> {
                  String text = property.path("description").asString("");
                  assertThat(text)
                      .as("ApiTexts.properties lacks a text: " + schema + "." + field)
                      .isNotBlank();
                  if (!unused.remove(schema + "." + field)) {
                    unused.remove(field);
                  }
                }));
    api.get("paths")
        .forEach(operations ->
            operations.forEach(operation ->
                operation
                    .path("parameters")
                    .forEach(parameter -> {
                      String name = parameter.get("name").asString();
                      unused.remove(
                          "parameter." + operation.get("operationId").asString() + "." + name);
                      unused.remove("parameter." + name);
                    })));
    assertThat(unused).as("texts that are no longer used").allMatch(text -> used(api, text));
  }

  @Test
  void eachKeyHasOneText() throws IOException {
    List<Object> twice = new ArrayList<>();
    Properties texts =
        new Properties() {
          @Override
          public Object put(Object key, Object text) {
            Object before = super.put(key, text);
            if (before != null) {
              twice.add(key);
            }
            return before;
          }
        };
    try (var file = ApiDescription.class.getResourceAsStream("ApiTexts.properties")) {
      texts.load(file);
    }
    assertThat(twice).as("keys of ApiTexts.properties with two texts").isEmpty();
  }

  // A general text counts as used while any schema has the field, even if every schema has its own
  // text.
  private static boolean used(JsonNode api, String text) {
    return !text.contains(".")
        && api.at("/components/schemas").findValues(text).stream().findAny().isPresent();
  }
}
