package io.viaduct.webgui.page;

import io.viaduct.webgui.login.SignedIn;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ModelAttribute;

/// Gives every template the visitor, the formats of quantities, and the languages to choose from.
@ControllerAdvice
class PageModel {
  private final Languages languages;

  PageModel(Languages languages) {
    this.languages = languages;
  }

  /// Formats in the viewer's zone.
  @ModelAttribute("display")
  Display display(HttpServletRequest request) {
    return new Display(Viewer.zone(request));
  }

  @ModelAttribute("languages")
  Languages languages() {
    return languages;
  }

  /// True if the address of the page shows it again. The answer to a form cannot be shown in
  /// another language, and what it showed would be lost.
  @ModelAttribute("repeatable")
  boolean repeatable(HttpServletRequest request) {
    // In the dispatch of an error, the method of the request is GET (Servlet 6.1).
    Object failed = request.getAttribute(RequestDispatcher.ERROR_METHOD);
    return (failed == null ? request.getMethod() : failed).equals("GET");
  }

  /// Null on pages that need no log-in.
  @ModelAttribute("visitor")
  @Nullable SignedIn visitor() {
    Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
    return authentication != null && authentication.getPrincipal() instanceof SignedIn visitor
        ? visitor
        : null;
  }
}
