package io.viaduct.billing.rest;

import org.jspecify.annotations.Nullable;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.http.converter.json.ProblemDetailJacksonMixin;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;

/// How JSON bodies are read: small, without unknown keys, and refused in words that do not repeat
/// the body.
final class JsonBody {
  /// A tariff, the largest thing that is sent, has some 10 KiB.
  static final int BYTES_MAX = 256 * 1024;

  private JsonBody() {}

  static JsonMapper mapper() {
    return JsonMapper.builder(
            JsonFactory.builder()
                .streamReadConstraints(
                    StreamReadConstraints.builder()
                        .maxDocumentLength(BYTES_MAX)
                        .maxNestingDepth(32)
                        .maxStringLength(BYTES_MAX)
                        .build())
                .build())
        .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .addMixIn(ProblemDetail.class, ProblemDetailJacksonMixin.class)
        .build();
  }

  /// Refuses a body without a key that it must have.
  static void require(String key, @Nullable Object value) {
    if (value == null) {
      throw new IllegalArgumentException("the key '" + key + "' is missing");
    }
  }

  /// Why a body could not be read.
  static String explain(HttpMessageNotReadableException e) {
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof UnrecognizedPropertyException unknown) {
        return "unknown key '" + unknown.getPropertyName() + "'";
      }
      if (cause instanceof IllegalArgumentException && cause.getMessage() != null) {
        return cause.getMessage();
      }
    }
    return "the body must be the JSON that /v3/api-docs describes, of at most "
        + BYTES_MAX
        + " bytes";
  }
}
