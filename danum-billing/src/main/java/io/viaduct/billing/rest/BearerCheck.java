package io.viaduct.billing.rest;

import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.account.Role;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.HandlerInterceptor;

/// Refuses requests without a valid bearer token (RFC 6750), except the log-in itself, and passes
/// the caller to the resource.
final class BearerCheck implements HandlerInterceptor, HandlerMethodArgumentResolver {
  private static final String CALLER = Caller.class.getName();
  private static final String SCHEME = "Bearer ";

  private final LoginSessions sessions;
  private final InstantSource clock;

  BearerCheck(LoginSessions sessions, InstantSource clock) {
    this.sessions = sessions;
    this.clock = clock;
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    // Tomcat dispatches the end of an event stream once more; its caller was checked at the start.
    if (request.getDispatcherType() == DispatcherType.ASYNC || isLogin(request)) {
      return true;
    }
    Caller caller =
        sessions
            .caller(token(request), clock.instant())
            .orElseThrow(() ->
                new ProblemException(
                    ProblemType.UNAUTHENTICATED,
                    "the token is unknown, ended or expired: log in at POST /api/v1/sessions"));
    request.setAttribute(CALLER, caller);
    return true;
  }

  private static boolean isLogin(HttpServletRequest request) {
    return request.getMethod().equals("POST") && request.getRequestURI().equals("/api/v1/sessions");
  }

  /// Returns the bearer token of a request.
  ///
  /// @throws ProblemException if the request has none
  static String token(HttpServletRequest request) {
    String header = request.getHeader(HttpHeaders.AUTHORIZATION);
    if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      throw new ProblemException(
          ProblemType.UNAUTHENTICATED, "send the header Authorization: Bearer <token>");
    }
    return header.substring(SCHEME.length()).strip();
  }

  @Override
  public boolean supportsParameter(MethodParameter parameter) {
    return parameter.getParameterType() == Caller.class;
  }

  @Override
  public Object resolveArgument(
      MethodParameter parameter,
      @Nullable ModelAndViewContainer container,
      NativeWebRequest request,
      @Nullable WebDataBinderFactory factory) {
    HttpServletRequest http = request.getNativeRequest(HttpServletRequest.class);
    Object caller = http == null ? null : http.getAttribute(CALLER);
    if (caller == null) {
      throw new IllegalStateException("a resource was reached without a caller");
    }
    return caller;
  }

  /// Refuses callers who are not operators.
  static void requireOperator(Caller caller) {
    if (caller.role() != Role.OPERATOR) {
      throw new ProblemException(
          ProblemType.FORBIDDEN, "account '" + caller.account() + "' is not an operator");
    }
  }

  /// Refuses a user who asks for another user's data. The answer is "not found", so that it does
  /// not reveal which accounts exist.
  static void requireOwn(Caller caller, String account) {
    if (!caller.canSee(account)) {
      throw ProblemException.notFound();
    }
  }

  /// Returns an account that the caller may see. Any other account is answered with "not found".
  static Account visible(Caller caller, Accounts accounts, String id) {
    requireOwn(caller, id);
    return accounts.find(id).orElseThrow(ProblemException::notFound);
  }
}
