package io.viaduct.billing.rest;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.account.Passwords;
import io.viaduct.billing.tariff.TariffRefusedException;
import io.viaduct.service.operations.LabelledCounters;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.transaction.TransactionException;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.MissingRequestHeaderException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.NoHandlerFoundException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/// Turns every refusal and failure into an answer (RFC 9457) and counts it.
@RestControllerAdvice
final class Problems extends ResponseEntityExceptionHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Problems.class);

  private static final String[] NO_METHODS = {};

  private final LabelledCounters<ProblemType> refusals;

  Problems(MeterRegistry registry) {
    refusals =
        LabelledCounters.register(
            registry,
            "viaduct_requests_refused",
            "HTTP requests answered by a problem, by its type",
            "reason",
            ProblemType.class);
  }

  @ExceptionHandler
  ResponseEntity<Object> refused(ProblemException e) {
    ResponseEntity<Object> answer = answer(e.type(), e.getMessage());
    HttpHeaders headers = new HttpHeaders();
    headers.addAll(answer.getHeaders());
    if (e.retryAfter() != null) {
      headers.set(HttpHeaders.RETRY_AFTER, Long.toString(e.retryAfter().toSeconds() + 1));
    }
    if (e.type().status() == HttpStatus.UNAUTHORIZED && e.type() != ProblemType.SIGNATURE_REFUSED) {
      headers.set(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
    }
    return new ResponseEntity<>(answer.getBody(), headers, answer.getStatusCode());
  }

  @ExceptionHandler
  ResponseEntity<Object> code(ProblemException.CodeRequired e) {
    ResponseEntity<Object> answer =
        refused(
            new ProblemException(
                ProblemType.CODE_REQUIRED,
                "send the code of the authenticator app with this challenge to POST /api/v1/sessions/codes"));
    if (answer.getBody() instanceof ProblemDetail problem) {
      problem.setProperty("challenge", e.challenge());
    }
    return answer;
  }

  @ExceptionHandler
  ResponseEntity<Object> busy(Passwords.BusyException e) {
    return refused(
        new ProblemException(
            ProblemType.TOO_MANY_LOG_INS, "try again in some seconds", Duration.ofSeconds(1)));
  }

  @ExceptionHandler
  ResponseEntity<Object> tariff(TariffRefusedException e) {
    ResponseEntity<Object> answer = answer(ProblemType.TARIFF_REFUSED, e.getMessage());
    if (answer.getBody() instanceof ProblemDetail problem) {
      problem.setProperty("rule", e.rule().name());
      problem.setProperty("place", e.place());
      if (e.knot().isPresent()) {
        problem.setProperty("knot", e.knot().getAsInt());
      }
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
    return answer(ProblemType.INTERNAL, "billing's log has the cause");
  }

  // Handles refusals by the framework: unreadable JSON, a missing header, an unknown path.
  @Override
  protected ResponseEntity<Object> handleExceptionInternal(
      Exception e,
      @Nullable Object body,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    ProblemType type = ProblemType.of(status);
    refusals.increment(type);
    HttpStatusCode answeredStatus = JsonBody.isTooLarge(e) ? HttpStatus.CONTENT_TOO_LARGE : status;
    ProblemDetail problem = ProblemDetail.forStatus(answeredStatus);
    problem.setType(type.uri());
    problem.setTitle(type.title());
    problem.setDetail(detail(e, method(request)));
    return ResponseEntity.status(answeredStatus)
        .headers(headers)
        .contentType(MediaType.APPLICATION_PROBLEM_JSON)
        .body(problem);
  }

  private static String method(WebRequest request) {
    return request instanceof ServletWebRequest http ? String.valueOf(http.getHttpMethod()) : "";
  }

  private static @Nullable String detail(Exception e, String method) {
    return switch (e) {
      case HttpMessageNotReadableException unreadable -> JsonBody.explain(unreadable);
      case MethodArgumentTypeMismatchException wrong ->
          wrong.getName() + " must be a whole number, got '" + wrong.getValue() + "'";
      case MissingRequestHeaderException missing ->
          "send the header " + missing.getHeaderName() + ", see /v3/api-docs";
      case HttpMediaTypeNotSupportedException _ ->
          "send the body with the header Content-Type: application/json";
      case HttpMediaTypeNotAcceptableException type ->
          "this answer is available only as "
              + Stream.of(MediaType.TEXT_EVENT_STREAM, Csv.PLAIN_TYPE)
                  .filter(
                      t -> type.getSupportedMediaTypes().stream().anyMatch(t::equalsTypeAndSubtype))
                  .findFirst()
                  .orElse(MediaType.APPLICATION_JSON);
      case HttpRequestMethodNotSupportedException other ->
          "%s is not supported at this path, only %s"
              .formatted(
                  other.getMethod(),
                  Stream.of(Objects.requireNonNullElse(other.getSupportedMethods(), NO_METHODS))
                      .sorted()
                      .collect(Collectors.joining(", ")));
      case NoHandlerFoundException nothing ->
          nothing.getHttpMethod() + " is not defined at this path: see /v3/api-docs";
      case ErrorResponseException refused when refused.getBody().getDetail() != null ->
          refused.getBody().getDetail();
      case ErrorResponseException failed when failed.getStatusCode().value() == 404 ->
          method + " is not defined at this path: see /v3/api-docs";
      case ErrorResponseException failed when failed.getStatusCode().is5xxServerError() ->
          "billing's log has the cause";
      default -> "see /v3/api-docs for valid requests";
    };
  }

  private ResponseEntity<Object> answer(ProblemType type, @Nullable String detail) {
    refusals.increment(type);
    ProblemDetail problem = ProblemDetail.forStatus(type.status());
    problem.setType(type.uri());
    problem.setTitle(type.title());
    problem.setDetail(detail);
    return ResponseEntity.status(type.status())
        .contentType(MediaType.APPLICATION_PROBLEM_JSON)
        .body(problem);
  }
}
