package io.viaduct.spring.rest;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import tools.jackson.databind.json.JsonMapper;

/// Writes a problem (RFC 9457) from a filter, before Spring has chosen a controller.
public final class ProblemAnswer {
  private static final JsonMapper JSON = JsonMapper.shared();

  private ProblemAnswer() {}

  /// Writes status and body.
  ///
  /// @param detail one sentence for the caller
  public static void write(HttpServletResponse response, HttpStatus status, String detail)
      throws IOException {
    response.setStatus(status.value());
    response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
    response.getOutputStream().write(JSON.writeValueAsBytes(body(status, detail)));
  }

  static Map<String, Object> body(HttpStatus status, String detail) {
    return Map.of(
        "type",
        "about:blank",
        "title",
        status.getReasonPhrase(),
        "status",
        status.value(),
        "detail",
        detail);
  }
}
