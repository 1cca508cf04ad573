package io.viaduct.spring.rest;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/// Handles the failures that the servlet container forwards to `/error`: the service's exception
/// handler makes the answer. A client that requests this path itself gets 404.
@RestController
final class ErrorPath implements ErrorController {
  @RequestMapping("/error")
  void error(HttpServletRequest request) {
    HttpStatus status =
        request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer code
            ? HttpStatus.resolve(code)
            : HttpStatus.NOT_FOUND;
    throw new ErrorResponseException(status == null ? HttpStatus.INTERNAL_SERVER_ERROR : status);
  }
}
