package io.viaduct.spring.rest;

import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import tools.jackson.databind.json.JsonMapper;

/// Answers with a problem (RFC 9457) when Tomcat refuses a request before any controller gets it,
/// such as a path with `%2F` in it. Tomcat makes this class by its name, so it is public; a service
/// may give another subclass to Tomcat.
public class ProblemReport extends ErrorReportValve {
  private static final Logger LOG = LoggerFactory.getLogger(ProblemReport.class);
  private static final JsonMapper JSON = JsonMapper.shared();

  @Override
  protected final void report(Request request, Response response, Throwable throwable) {
    int code = response.getStatus();
    if (code < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
      return;
    }
    HttpStatus known = HttpStatus.resolve(code);
    HttpStatus status = known == null ? HttpStatus.BAD_REQUEST : known;
    try {
      response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
      response.setCharacterEncoding("UTF-8");
      response.getReporter().write(JSON.writeValueAsString(problem(status)));
      response.finishResponse();
    } catch (IOException e) {
      LOG.debug("the caller has gone: {}", e.toString());
    }
  }

  /// Returns the body of the answer, which becomes JSON.
  protected Object problem(HttpStatus status) {
    return ProblemAnswer.body(
        status,
        status.is5xxServerError()
            ? "the log of the service has the cause"
            : "the request is refused as a whole");
  }
}
