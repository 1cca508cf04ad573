package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.security.SecurityRequirements;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.ObjectSchema;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.oas.models.responses.ApiResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.method.HandlerMethod;

/// Completes the OpenAPI description that springdoc derives from the resources. Adds the problems
/// of each operation, and a text with unit and bounds for each parameter and field.
final class ApiDescription implements GlobalOperationCustomizer, GlobalOpenApiCustomizer {
  static final String PROBLEM = "Problem";

  /// Operations that replace with If-Match, and without it make what is not there yet.
  static final Set<String> MAKES_TOO = Set.of("putSnapt", "setAllowance");

  private final Properties texts = texts();

  static Properties texts() {
    Properties texts = new Properties();
    try (InputStream in =
        Objects.requireNonNull(ApiDescription.class.getResourceAsStream("ApiTexts.properties"))) {
      texts.load(new InputStreamReader(in, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return texts;
  }

  @Override
  public Operation customize(Operation operation, HandlerMethod method) {
    Map<Integer, Set<ProblemType>> refusals = new TreeMap<>();
    for (ProblemType type : types(method)) {
      refusals.computeIfAbsent(type.status().value(), _ -> new TreeSet<>()).add(type);
    }
    refusals.put(406, Set.of(ProblemType.INVALID_REQUEST));
    if (hasBody(method)) {
      refusals.put(413, Set.of(ProblemType.INVALID_REQUEST));
      refusals.put(415, Set.of(ProblemType.INVALID_REQUEST));
    }
    if (method.hasMethodAnnotation(Tagged.class)) {
      operation
          .getResponses()
          .forEach((status, response) -> {
            if (status.startsWith("2")) {
              response.addHeaderObject(HttpHeaders.ETAG, tag());
            }
          });
    }
    refusals.forEach((status, types) ->
        operation.getResponses().addApiResponse(Integer.toString(status), refusal(types)));
    List<Parameter> parameters =
        operation.getParameters() == null ? List.of() : operation.getParameters();
    for (Parameter parameter : parameters) {
      parameter.setDescription(
          text("parameter." + operation.getOperationId(), "parameter", parameter.getName()));
      if (parameter.getName().equals(HttpHeaders.IF_MATCH)) {
        // Without it the answer is 428, not one of Spring's.
        parameter.setRequired(
            types(method).contains(ProblemType.VERSION_REQUIRED)
                && !MAKES_TOO.contains(operation.getOperationId()));
      }
      if (parameter.getName().equals("limit")) {
        parameter.getSchema().setMinimum(BigDecimal.ONE);
        parameter.getSchema().setMaximum(BigDecimal.valueOf(Page.LIMIT_MAX));
      }
    }
    return operation;
  }

  private static Header tag() {
    return new Header()
        .description("Version of the answer (RFC 9110, section 8.8.3), for If-Match.")
        .schema(new StringSchema());
  }

  private static Set<ProblemType> types(HandlerMethod method) {
    Set<ProblemType> types =
        EnumSet.of(ProblemType.INVALID_REQUEST, ProblemType.DATABASE_AWAY, ProblemType.INTERNAL);
    if (!method.hasMethodAnnotation(SecurityRequirements.class)) {
      types.add(ProblemType.UNAUTHENTICATED);
      types.add(ProblemType.FORBIDDEN);
      types.add(ProblemType.TOO_MANY_REQUESTS);
    }
    Refuses refuses = method.getMethodAnnotation(Refuses.class);
    if (refuses != null) {
      types.addAll(List.of(refuses.value()));
    }
    return types;
  }

  private static boolean hasBody(HandlerMethod method) {
    return List.of(method.getMethodParameters()).stream()
        .anyMatch(parameter -> parameter.hasParameterAnnotation(RequestBody.class));
  }

  private static ApiResponse refusal(Set<ProblemType> types) {
    Schema<?> schema =
        new Schema<>()
            .addAllOfItem(new Schema<>().$ref(PROBLEM))
            .addAllOfItem(
                new ObjectSchema()
                    .addProperty(
                        "type",
                        new StringSchema()
                            ._enum(types.stream().map(type -> type.uri().toString()).toList())));
    return new ApiResponse()
        .description(types.stream().map(ProblemType::title).collect(Collectors.joining("; ")))
        .content(
            new Content().addMediaType("application/problem+json", new MediaType().schema(schema)));
  }

  @Override
  public void customise(OpenAPI api) {
    Map<String, Schema> schemas = api.getComponents().getSchemas();
    schemas.put(PROBLEM, problem());
    schemas.forEach((name, schema) -> {
      Map<String, Schema> fields = schema.getProperties();
      if (fields != null) {
        fields.forEach((field, fieldSchema) -> fieldSchema.setDescription(text(name, null, field)));
      }
    });
  }

  private static Schema<?> problem() {
    return new ObjectSchema()
        .description("A refusal (RFC 9457).")
        .addProperty("type", new StringSchema().format("uri"))
        .addProperty("title", new StringSchema())
        .addProperty("status", new IntegerSchema())
        .addProperty("detail", new StringSchema())
        .addProperty("instance", new StringSchema().format("uri-reference"))
        .addProperty("challenge", new StringSchema())
        .addProperty("rule", new StringSchema())
        .addProperty("place", new StringSchema())
        .addProperty("knot", new IntegerSchema());
  }

  private @Nullable String text(String owner, @Nullable String kind, String name) {
    String specific = texts.getProperty(owner + "." + name);
    return specific != null ? specific : texts.getProperty(kind == null ? name : kind + "." + name);
  }
}
