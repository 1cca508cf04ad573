package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.audit.AuditLog;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.InstantSource;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.security.core.Authentication;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/// Gives each request an id, and records the requests of operators and auditors that may change
/// something. A request whose entry cannot be stored is not carried out.
final class AuditedRequests implements HandlerInterceptor {
  static final String REQUEST_ID = "X-Request-Id";

  private static final Logger LOG = LoggerFactory.getLogger(AuditedRequests.class);
  private static final String ENTRY = AuditedRequests.class.getName();
  private static final int PATH_LENGTH_MAX = 1024;

  private final AuditLog log;
  private final InstantSource clock;

  AuditedRequests(AuditLog log, InstantSource clock) {
    this.log = log;
    this.clock = clock;
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    if (request.getAttribute(REQUEST_ID) != null) {
      return true; // the same request, dispatched again
    }
    String id = id(request.getHeader(REQUEST_ID));
    request.setAttribute(REQUEST_ID, id);
    response.setHeader(REQUEST_ID, id);
    if (AccessRules.changesNothing(request)
        || !(handler instanceof HandlerMethod method)
        || !(request.getUserPrincipal() instanceof Authentication login)
        || !(login.getPrincipal() instanceof Caller caller)
        || !caller.role().readsAll()) {
      return true;
    }
    String path = request.getRequestURI();
    request.setAttribute(
        ENTRY,
        log.begin(
            new AuditLog.Request(
                caller.account(),
                caller.role().word(),
                operation(method),
                request.getMethod(),
                path.length() > PATH_LENGTH_MAX ? path.substring(0, PATH_LENGTH_MAX) : path,
                id),
            clock.instant()));
    return true;
  }

  @Override
  public void afterCompletion(
      HttpServletRequest request,
      HttpServletResponse response,
      Object handler,
      @Nullable Exception failure) {
    if (request.getAttribute(ENTRY) instanceof Long entry) {
      request.removeAttribute(ENTRY);
      try {
        log.end(entry, response.getStatus(), clock.instant());
      } catch (DataAccessException e) {
        LOG.warn("the outcome of audit entry {} is not stored: {}", entry, e.toString());
      }
    }
  }

  private static String id(@Nullable String sent) {
    return sent != null && sent.matches("[A-Za-z0-9._-]{1,64}")
        ? sent
        : UUID.randomUUID().toString();
  }

  private static String operation(HandlerMethod method) {
    Operation described = method.getMethodAnnotation(Operation.class);
    return described == null ? method.getMethod().getName() : described.operationId();
  }
}
