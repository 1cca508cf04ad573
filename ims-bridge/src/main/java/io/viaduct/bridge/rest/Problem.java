package io.viaduct.bridge.rest;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/// Writes a problem response (RFC 9457) from a filter, before Spring has chosen a controller.
final class Problem {
  private static final JsonMapper JSON = JsonMapper.shared();

  private Problem() {}

  static void write(HttpServletResponse response, int status, String title, String detail)
      throws IOException {
    response.setStatus(status);
    response.setContentType("application/problem+json");
    response
        .getOutputStream()
        .write(
            JSON.writeValueAsBytes(
                Map.of("type", "about:blank", "title", title, "status", status, "detail", detail)));
  }
}
