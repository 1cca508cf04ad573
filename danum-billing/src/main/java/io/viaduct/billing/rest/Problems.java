package io.viaduct.billing.rest;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.tariff.TariffRefusedException;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.transaction.TransactionException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/// The one place where refusals and failures become answers (RFC 9457) and are counted.
@RestControllerAdvice
final class Problems extends ResponseEntityExceptionHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Problems.class);

  private final Map<ProblemType, Counter> counters = new EnumMap<>(ProblemType.class);

  Problems(MeterRegistry registry) {
    for (ProblemType type : ProblemType.values()) {
      counters.put(
          type,
          Counter.builder("viaduct.requests.refused")
              .description("HTTP requests answered by a problem, by its type")
              .tag("reason", type.name())
              .register(registry));
    }
  }

  @ExceptionHandler
  ResponseEntity<Object> refused(ProblemException e) {
    ResponseEntity<Object> answer = answer(e.type(), e.getMessage());
    HttpHeaders headers = new HttpHeaders();
    headers.addAll(answer.getHeaders());
    if (e.retryAfter() != null) {
      headers.set(HttpHeaders.RETRY_AFTER, Long.toString(e.retryAfter().toSeconds() + 1));
    }
    if (e.type() == ProblemType.UNAUTHENTICATED || e.type() == ProblemType.WRONG_PASSWORD) {
      headers.set(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
    }
    return new ResponseEntity<>(answer.getBody(), headers, answer.getStatusCode());
  }

  @ExceptionHandler
  ResponseEntity<Object> tariff(TariffRefusedException e) {
    ResponseEntity<Object> answer = answer(ProblemType.TARIFF_REFUSED, e.getMessage());
    if (answer.getBody() instanceof ProblemDetail problem) {
      problem.setProperty("rule", e.rule().name());
    }
    return answer;
  }

  @ExceptionHandler({
    NonTransientDataAccessResourceException.class,
    TransientDataAccessException.class,
    RecoverableDataAccessException.class,
    TransactionException.class
  })
  ResponseEntity<Object> database(Exception e) {
    LOG.warn("request refused, database: {}", e.toString());
    return answer(ProblemType.DATABASE_AWAY, "try again in some seconds");
  }

  @ExceptionHandler
  ResponseEntity<Object> failed(RuntimeException e) {
    LOG.error("request failed", e);
    return answer(ProblemType.INTERNAL, "the failure is in billing's log");
  }

  // What the framework itself refuses: unreadable JSON, a missing header, an unknown path.
  @Override
  protected ResponseEntity<Object> handleExceptionInternal(
      Exception e,
      @Nullable Object body,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    ProblemType type = status.value() == 404 ? ProblemType.NOT_FOUND : ProblemType.INVALID_REQUEST;
    count(type);
    ProblemDetail problem = ProblemDetail.forStatus(status);
    problem.setType(type.uri());
    problem.setTitle(type.title());
    problem.setDetail(
        e instanceof HttpMessageNotReadableException unreadable
            ? JsonBody.explain(unreadable)
            : body instanceof ProblemDetail framework ? framework.getDetail() : e.getMessage());
    return new ResponseEntity<>(problem, headers, status);
  }

  private ResponseEntity<Object> answer(ProblemType type, @Nullable String detail) {
    count(type);
    ProblemDetail problem = ProblemDetail.forStatus(type.status());
    problem.setType(type.uri());
    problem.setTitle(type.title());
    problem.setDetail(detail);
    return ResponseEntity.status(type.status())
        .contentType(MediaType.APPLICATION_PROBLEM_JSON)
        .body(problem);
  }

  private void count(ProblemType type) {
    Counter counter = counters.get(type);
    if (counter != null) {
      counter.increment();
    }
  }
}
