package io.viaduct.webgui.page;

import io.viaduct.webgui.login.RefusedRequests;
import io.viaduct.webgui.login.RefusedRequests.Reason;
import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerRefusedException;
import io.viaduct.webgui.peer.SessionEndedException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatusCode;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.ServletRequestBindingException;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.ModelAndView;

/// The one place where a failed request becomes what its visitor sees: a calm page, never a stack
/// trace. Fragments and streams get the bare status, their page keeps showing what it has.
@ControllerAdvice
class Failures {
  private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
  private static final String RETRY_SECONDS = "5";

  private final RefusedRequests refused;
  private final PageModel common;

  Failures(RefusedRequests refused, PageModel common) {
    this.refused = refused;
    this.common = common;
  }

  @ExceptionHandler
  @Nullable ModelAndView away(
      PeerAwayException e, HttpServletRequest request, HttpServletResponse response) {
    LOG.warn("{}", e.getMessage());
    response.setHeader("Retry-After", RETRY_SECONDS);
    if (!wantsPage(request)) {
      response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
      return null;
    }
    return page("away", HttpServletResponse.SC_SERVICE_UNAVAILABLE, request)
        .addObject("peer", e.peer());
  }

  @ExceptionHandler
  @Nullable ModelAndView ended(
      SessionEndedException e, HttpServletRequest request, HttpServletResponse response) {
    HttpSession session = request.getSession(false);
    if (session != null) {
      session.invalidate();
    }
    SecurityContextHolder.clearContext();
    String login = request.getContextPath() + "/login?problem=ended";
    if (!wantsPage(request)) {
      response.setHeader("HX-Redirect", login);
      response.setStatus(HttpServletResponse.SC_UNAUTHORIZED);
      return null;
    }
    return new ModelAndView("redirect:/login?problem=ended");
  }

  @ExceptionHandler
  @Nullable ModelAndView refused(
      PeerRefusedException e, HttpServletRequest request, HttpServletResponse response) {
    int status = e.status() == 403 || e.status() == 404 ? e.status() : 400;
    refused.count(status == 403 ? Reason.NOT_ALLOWED : Reason.BAD_REQUEST);
    return status(status, request, response);
  }

  @ExceptionHandler({
    MethodArgumentTypeMismatchException.class,
    ServletRequestBindingException.class
  })
  @Nullable ModelAndView malformed(HttpServletRequest request, HttpServletResponse response) {
    refused.count(Reason.BAD_REQUEST);
    return status(HttpServletResponse.SC_BAD_REQUEST, request, response);
  }

  private @Nullable ModelAndView status(
      int status, HttpServletRequest request, HttpServletResponse response) {
    if (!wantsPage(request)) {
      response.setStatus(status);
      return null;
    }
    return page("error", status, request).addObject("status", status);
  }

  private ModelAndView page(String view, int status, HttpServletRequest request) {
    ModelAndView page = new ModelAndView(view);
    page.setStatus(HttpStatusCode.valueOf(status));
    page.addObject("display", common.display(request));
    page.addObject("languages", common.languages());
    page.addObject("repeatable", common.repeatable(request));
    page.addObject("visitor", common.visitor());
    return page;
  }

  private static boolean wantsPage(HttpServletRequest request) {
    return request.getHeader("HX-Request") == null
        && !String.valueOf(request.getHeader("Accept")).contains("text/event-stream");
  }
}
