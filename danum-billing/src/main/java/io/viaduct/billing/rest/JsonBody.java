package io.viaduct.billing.rest;

import static java.util.stream.Collectors.joining;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.http.converter.json.ProblemDetailJacksonMixin;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/// Reads JSON bodies strictly: they have a size limit, and unknown keys are refused. A refusal
/// never repeats the values of the body.
final class JsonBody {
  /// A tariff is the largest body; it has about 10 KiB.
  static final int BYTES_MAX = 256 * 1024;

  // JavaScript rounds large numbers. A number in place of a string may have lost digits already.
  private static final List<CoercionInputShape> NOT_TEXT =
      List.of(CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean);

  private static final Pattern DUPLICATE_KEY =
      Pattern.compile("^Duplicate Object property \"([^\"]{1,64})\"");

  private static final int NAME_SHOWN = 64;

  private JsonBody() {}

  static JsonMapper mapper() {
    return JsonMapper.builder(
            JsonFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .streamReadConstraints(
                    StreamReadConstraints.builder()
                        .maxDocumentLength(BYTES_MAX)
                        .maxNestingDepth(32)
                        .maxStringLength(BYTES_MAX)
                        .build())
                .build())
        .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .withCoercionConfig(
            LogicalType.Textual,
            text -> {
              for (CoercionInputShape shape : NOT_TEXT) {
                text.setCoercion(shape, CoercionAction.Fail);
              }
            })
        .addMixIn(ProblemDetail.class, ProblemDetailJacksonMixin.class)
        .build();
  }

  /// Refuses a body that lacks a required key.
  static void require(String key, @Nullable Object value) {
    if (value == null) {
      throw new IllegalArgumentException("the key '" + key + "' is missing");
    }
  }

  /// Returns true if a body was refused because of its size.
  static boolean isTooLarge(Throwable refused) {
    for (Throwable cause = refused; cause != null; cause = cause.getCause()) {
      if (cause instanceof StreamConstraintsException limit
          && limit.getOriginalMessage().contains("Document length")) {
        return true;
      }
    }
    return false;
  }

  /// Returns the reason why a body could not be read. The text repeats key names, never values.
  static String explain(HttpMessageNotReadableException e) {
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      String why =
          switch (cause) {
            case UnrecognizedPropertyException unknown -> unknown(unknown);
            case StreamConstraintsException _ ->
                "the body may have %d bytes and be 32 levels deep at most".formatted(BYTES_MAX);
            case StreamReadException broken -> broken(broken);
            case IllegalArgumentException rule when rule.getMessage() != null -> rule.getMessage();
            case MismatchedInputException wrong
                when !(wrong.getCause() instanceof RuntimeException) ->
                mismatched(wrong);
            case InvalidFormatException wrong -> mismatched(wrong);
            default -> null;
          };
      if (why != null) {
        return why;
      }
    }
    return "send one JSON object as body, as /v3/api-docs describes it";
  }

  private static String unknown(UnrecognizedPropertyException e) {
    String name = e.getPropertyName();
    return "unknown key '%s'; known keys: %s"
        .formatted(
            name.length() > NAME_SHOWN ? name.substring(0, NAME_SHOWN) + "…" : name,
            e.getKnownPropertyIds().stream().map(String::valueOf).sorted().collect(joining(", ")));
  }

  private static String broken(StreamReadException e) {
    Matcher duplicate = DUPLICATE_KEY.matcher(e.getOriginalMessage());
    return duplicate.find()
        ? "the key '" + duplicate.group(1) + "' is given twice: send it once"
        : "the body is broken JSON: look at line %d, column %d"
            .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr());
  }

  private static String mismatched(MismatchedInputException e) {
    String key =
        e.getPath().stream()
            .map(JacksonException.Reference::getPropertyName)
            .filter(Objects::nonNull)
            .collect(joining("."));
    if (key.isEmpty()) {
      return "the body must be one JSON object";
    }
    Class<?> wanted = e.getTargetType();
    return "the key '%s' must be %s"
        .formatted(
            key,
            wanted == Instant.class
                ? "a time such as 2026-01-31T00:00:00Z"
                : wanted == String.class ? "a string" : "an object");
  }
}
