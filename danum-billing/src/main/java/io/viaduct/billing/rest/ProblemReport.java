package io.viaduct.billing.rest;

import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/// Answers with a problem (RFC 9457) when Tomcat refuses a request before any resource gets it,
/// e.g. a path with `%2F` in it. Tomcat creates this class by its name, so it is public.
public final class ProblemReport extends ErrorReportValve {
  private static final Logger LOG = LoggerFactory.getLogger(ProblemReport.class);

  @Override
  protected void report(Request request, Response response, Throwable throwable) {
    int status = response.getStatus();
    if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
      return;
    }
    ProblemType type =
        status >= 500
            ? ProblemType.INTERNAL
            : status == 404 ? ProblemType.NOT_FOUND : ProblemType.INVALID_REQUEST;
    String body =
        "{\"type\":\"%s\",\"title\":\"%s\",\"status\":%d,\"detail\":\"%s\"}"
            .formatted(type.uri(), type.title(), status, detail(status));
    try {
      response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
      response.setCharacterEncoding("UTF-8");
      response.getReporter().write(body);
      response.finishResponse();
    } catch (IOException e) {
      LOG.debug("the caller has gone: {}", e.toString());
    }
  }

  private static String detail(int status) {
    HttpStatus known = HttpStatus.resolve(status);
    return status >= 500
        ? "billing's log has the cause"
        : "the request is refused as a whole (%s): see /v3/api-docs for valid requests"
            .formatted(known == null ? status : known.getReasonPhrase());
  }
}
