package io.viaduct.spring.rest;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/// Sets the headers that keep a browser or a cache from misusing an answer. This is a valve and not
/// a filter, because Tomcat answers some requests before any filter runs, such as a broken path.
final class AnswerHeaders extends ValveBase {
  AnswerHeaders() {
    super(true);
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader(
        "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox");
    response.setHeader("Referrer-Policy", "no-referrer");
    getNext().invoke(request, response);
  }
}
