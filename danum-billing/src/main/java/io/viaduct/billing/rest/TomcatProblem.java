package io.viaduct.billing.rest;

import io.viaduct.spring.rest.ProblemReport;
import org.springframework.http.HttpStatus;

/// Gives the refusals of Tomcat itself the form of billing's problems, e.g. of a path with `%2F` in
/// it. Tomcat creates this class by its name, so it is public.
public final class TomcatProblem extends ProblemReport {
  private record Problem(String type, String title, int status, String detail) {}

  @Override
  protected Object problem(HttpStatus status) {
    ProblemType type = ProblemType.of(status);
    return new Problem(
        type.uri().toString(),
        type.title(),
        status.value(),
        status.is5xxServerError()
            ? "billing's log has the cause"
            : "the request is refused as a whole (%s): see /v3/api-docs for valid requests"
                .formatted(status.getReasonPhrase()));
  }
}
