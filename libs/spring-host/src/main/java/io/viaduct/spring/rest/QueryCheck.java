package io.viaduct.spring.rest;

import io.viaduct.service.http.QueryParameters;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/// Refuses requests with a query parameter that their resource does not read: status 400, and a
/// detail that names the known parameters.
final class QueryCheck implements HandlerInterceptor {
  private final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();
  private final Map<Method, Set<String>> known = new ConcurrentHashMap<>();

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    if (handler instanceof HandlerMethod method
        && request.getDispatcherType() == DispatcherType.REQUEST) {
      QueryParameters.refusal(
              request.getQueryString(), known.computeIfAbsent(method.getMethod(), _ -> of(method)))
          .ifPresent(why -> {
            throw new ErrorResponseException(
                HttpStatus.BAD_REQUEST,
                ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, why),
                null);
          });
    }
    return true;
  }

  private Set<String> of(HandlerMethod method) {
    return Stream.of(method.getMethodParameters())
        .filter(parameter -> parameter.hasParameterAnnotation(RequestParam.class))
        .map(this::name)
        .collect(Collectors.toUnmodifiableSet());
  }

  private String name(MethodParameter parameter) {
    RequestParam given =
        Objects.requireNonNull(parameter.getParameterAnnotation(RequestParam.class));
    if (!given.name().isEmpty()) {
      return given.name();
    }
    parameter.initParameterNameDiscovery(names);
    return Objects.requireNonNull(parameter.getParameterName(), "compiled without -parameters");
  }
}
