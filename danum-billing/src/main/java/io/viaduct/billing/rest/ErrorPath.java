package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/// Answers requests that the servlet container forwards to `/error`. A request from outside for
/// this path gets "not found".
@Hidden
@RestController
class ErrorPath implements ErrorController {
  @RequestMapping("/error")
  void error(HttpServletRequest request) {
    Object status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
    if (!(status instanceof Integer code) || code == HttpStatus.NOT_FOUND.value()) {
      throw new ProblemException(
          ProblemType.NOT_FOUND,
          request.getMethod() + " is not defined at this path: see /v3/api-docs");
    }
    throw code < HttpStatus.INTERNAL_SERVER_ERROR.value()
        ? ProblemException.invalid("see /v3/api-docs for valid requests")
        : new ProblemException(ProblemType.INTERNAL, "billing's log has the cause");
  }
}
